/*
 * assist/provider.h - one table of services that can be asked; each is one struct of callbacks.
 *
 * The callbacks of a service make the requests for an answer and for the list of its models, and
 * parse its answers and the pieces of a streamed answer. They send nothing: client.h does.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <jansson.h>

#include "assist/field.h"
#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"

/* How the pieces of a streamed answer are separated. */
enum sc_ai_framing {
    SC_AI_EVENTS, /* text/event-stream */
    SC_AI_LINES,  /* one JSON object per line */
    SC_AI_AWS,    /* application/vnd.amazon.eventstream */
};

struct sc_ai_question {
    const char *system;
    const char *user;
    unsigned answer_tokens; /* the most the answer may have */
};

/* A request; everything in it may hold a key and is wiped. Initialise with {0}. */
struct sc_ai_request {
    const char *method;
    char *url;
    SC_VEC(char *) headers; /* "name: value" */
    struct sc_str body;
};
void sc_ai_request_done(struct sc_ai_request *request);
void sc_ai_request_header(struct sc_ai_request *request, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Sets the body to the JSON text of the value, and releases the value. */
void sc_ai_request_json(struct sc_ai_request *request, json_t *value);

/* Why an answer ended. */
enum sc_ai_ending {
    SC_AI_OPEN,     /* it has not */
    SC_AI_ENDED,    /* it is whole */
    SC_AI_TOO_LONG, /* the limit of tokens was reached */
    SC_AI_REFUSED,  /* the service refused to go on */
    SC_AI_FAILED,   /* an error came in the middle; error holds it */
};

/* The part of an answer that was received. Initialise with {0}. */
struct sc_ai_reply {
    struct sc_str text;
    enum sc_ai_ending ending;
    struct sc_str error;
};
void sc_ai_reply_done(struct sc_ai_reply *reply);

/* Sets ending unless the answer has ended already. */
void sc_ai_reply_end(struct sc_ai_reply *reply, enum sc_ai_ending ending);

/* Ends with an error; message may be NULL. */
void sc_ai_reply_fail(struct sc_ai_reply *reply, const char *message);

/* Adds the texts of a list of blocks; those of other kinds have none. */
void sc_ai_reply_blocks(struct sc_ai_reply *reply, const json_t *blocks);

/* Ends by the reason a service gives, of which there are two lists of words with blanks between
 * them. NULL is no reason; all other words mean a whole answer. */
void sc_ai_reply_reason(struct sc_ai_reply *reply, const char *reason, const char *too_long,
                        const char *refused);

void sc_ai_models_add(struct sc_texts *models, const char *name);

struct sc_ai_provider {
    const char *id;
    const char *alias; /* another name of it */
    const char *name;
    enum sc_ai_framing framing;
    const struct sc_ai_field *fields;
    size_t field_count;
    const char *const *models; /* offered without a request, the default first; ended by NULL */
    /* used instead of models where those depend on a field, such as the region; else NULL */
    void (*usual)(const struct sc_ai_settings *settings, struct sc_texts *ret_models);
    bool (*ask)(const struct sc_ai_settings *settings, const struct sc_ai_question *question,
                struct sc_ai_request *ret_request, struct sc_err *err);
    /* NULL: there is no list to ask for */
    bool (*list)(const struct sc_ai_settings *settings, struct sc_ai_request *ret_request,
                 struct sc_err *err);
    /* of the list in the answer, and of a name in each item; or, where that is not all: */
    const char *models_path, *model_path;
    void (*take_models)(const json_t *answer, struct sc_texts *ret_models);
    void (*take_whole)(const json_t *answer, struct sc_ai_reply *reply);
    /* type: the event's type where it is given outside of the JSON, else ""; NULL: a piece is like
     * a whole answer */
    void (*take_piece)(const json_t *piece, const char *type, struct sc_ai_reply *reply);
};

/* The models that are offered without a request, the default first. */
void sc_ai_usual_models(const struct sc_ai_settings *settings, struct sc_texts *ret_models);

/* A value within JSON by its path: names of members, "#" for the first item of a list, a slash
 * between two. NULL when it is not there. */
const json_t *sc_ai_dig(const json_t *value, const char *path);
const char *sc_ai_dig_text(const json_t *value, const char *path);

/* The address without slashes at its end. */
char *sc_ai_base(const char *address);
