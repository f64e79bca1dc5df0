/*
 * tests/unit/assist_settings_test.c - services, their keys, and where these may go.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "assist/provider.h"
#include "assist/providers.h"
#include "assist/session.h"
#include "assist/settings.h"
#include "sc_test.h"

#define KEY "sk-0123456789"

static void init_openai(struct sc_ai_settings *settings)
{
    (void)setenv("OPENAI_API_KEY", KEY, 1);
    (void)unsetenv("OPENAI_BASE_URL");
    sc_ai_settings_init(settings, &sc_ai_openai);
}

TEST(this_machine_is_distinguished_from_others)
{
    assert_true(sc_ai_is_loopback("http://localhost:11434/v1"));
    assert_true(sc_ai_is_loopback("http://127.0.0.1"));
    assert_true(sc_ai_is_loopback("http://[::1]:80/"));
    assert_false(sc_ai_is_loopback("http://127.0.0.1.example.org"));
    assert_false(sc_ai_is_loopback("http://localhost.example.org"));
    assert_false(sc_ai_is_loopback("http://localhost@example.org"));
    assert_false(sc_ai_is_loopback("http://example.org/@localhost"));
    assert_false(sc_ai_is_loopback("http://example.org?@localhost"));
}

TEST(a_key_of_the_environment_stays_with_its_address)
{
    OWN(sc_ai_settings, settings);
    struct sc_err err = {0};
    init_openai(&settings);
    sc_ai_settings_guard(&settings);
    assert_string_equal(settings.values[1].text, KEY);
    assert_true(sc_ai_settings_set(&settings, "openai-custom-url", "https://example.org", &err));
    sc_ai_settings_guard(&settings);
    assert_null(settings.values[1].text);
    assert_true(sc_ai_settings_set(&settings, "api-key", "typed-in", &err));
    sc_ai_settings_guard(&settings);
    assert_string_equal(settings.values[1].text, "typed-in");
    assert_false(sc_ai_settings_set(&settings, "other", "x", &err));
}

TEST(messages_hold_no_key_and_no_control_characters)
{
    OWN(sc_ai_settings, settings);
    OWN(sc_str, text) = {0};
    init_openai(&settings);
    sc_ai_redact(&settings, "a " KEY " \x1b[31m\n\tb" KEY, 100, &text);
    assert_string_equal(text.data, "a *** [31m b***");
    sc_str_clear(&text);
    sc_ai_redact(&settings, "0123456789", 4, &text);
    assert_string_equal(text.data, "0123...");
}

TEST(settings_that_cannot_work_are_refused)
{
    static const char *const addresses[] = {"example.org", "ftp://example.org",
                                            "http://example.org", "https://example.org/ x",
                                            "file:///etc/passwd"};
    for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
        OWN(sc_ai_settings, settings);
        struct sc_err err = {0};
        init_openai(&settings);
        assert_true(sc_ai_settings_check(&settings, &err));
        assert_true(sc_ai_settings_set(&settings, "openai-custom-url", addresses[i], &err));
        assert_false(sc_ai_settings_check(&settings, &err));
        assert_null(strstr(err.text, KEY));
    }
    OWN(sc_ai_settings, settings);
    struct sc_err err = {0};
    init_openai(&settings);
    assert_true(sc_ai_settings_set(&settings, "api-key", "a\r\nx-other: b", &err));
    assert_false(sc_ai_settings_check(&settings, &err));
}

TEST(every_service_has_names_and_fields_of_its_own)
{
    for (size_t i = 0; sc_ai_providers[i] != NULL; i++) {
        const struct sc_ai_provider *provider = sc_ai_providers[i];
        assert_ptr_equal(sc_ai_provider_find(provider->id), provider);
        assert_ptr_equal(sc_ai_provider_find(provider->alias), provider);
        assert_true(provider->field_count <= SC_AI_FIELDS_MAX);
    }
    assert_null(sc_ai_provider_find("nobody"));
}

static void expect_usual(const char *region, const char *wanted)
{
    OWN(sc_ai_settings, settings);
    OWN(sc_texts, models) = {0};
    OWN(sc_str, names) = {0};
    struct sc_err err = {0};
    sc_ai_settings_init(&settings, &sc_ai_bedrock);
    assert_true(sc_ai_settings_set(&settings, "aws-region", region, &err));
    sc_ai_usual_models(&settings, &models);
    for (size_t i = 0; i < models.count; i++)
        sc_str_add_format(&names, "%.*s ", (int)strcspn(models.items[i], "0123456789"),
                          models.items[i]);
    assert_string_equal(sc_str_text(&names), wanted);
    sc_ai_settings_usual_model(&settings);
    assert_string_equal(settings.model, models.items[0]);
}

TEST(the_usual_models_are_those_of_the_region)
{
    expect_usual("us-west-2", "us.anthropic.claude-sonnet- us.anthropic.claude-opus- "
                              "us.anthropic.claude-haiku- us.amazon.nova-pro-v ");
    expect_usual("eu-central-1", "eu.anthropic.claude-sonnet- eu.anthropic.claude-opus- "
                                 "eu.anthropic.claude-haiku- eu.amazon.nova-pro-v ");
    expect_usual("us-gov-west-1", "us-gov.anthropic.claude-sonnet- ");
    expect_usual("ap-northeast-1", "jp.anthropic.claude-sonnet- global.anthropic.claude-opus- "
                                   "jp.anthropic.claude-haiku- apac.amazon.nova-pro-v ");
    expect_usual("ap-northeast-2", "global.anthropic.claude-sonnet- global.anthropic.claude-opus- "
                                   "global.anthropic.claude-haiku- apac.amazon.nova-pro-v ");
    expect_usual("ap-southeast-2", "au.anthropic.claude-sonnet- global.anthropic.claude-opus- "
                                   "au.anthropic.claude-haiku- apac.amazon.nova-pro-v ");
    expect_usual("sa-east-1", "global.anthropic.claude-sonnet- global.anthropic.claude-opus- "
                              "global.anthropic.claude-haiku- ");
}

TEST(a_model_that_is_named_is_asked_as_it_is)
{
    OWN(sc_ai_settings, settings);
    struct sc_err err = {0};
    sc_ai_settings_init(&settings, &sc_ai_bedrock);
    sc_ai_settings_model(&settings, "us.anthropic.claude-opus-4-5-20251101-v1:0");
    assert_true(sc_ai_settings_set(&settings, "aws-region", "eu-west-1", &err));
    sc_ai_settings_usual_model(&settings);
    assert_string_equal(settings.model, "us.anthropic.claude-opus-4-5-20251101-v1:0");
}

/* Leaves no zeros where the next function has its locals. */
static void soil_stack(void)
{
    volatile char bytes[16384];
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = 0x55;
}

TEST(a_question_for_models_that_names_no_service_is_refused)
{
    static const char *const texts[] = {"[]", "{}", "{\"provider\": \"nobody\"}",
                                        "{\"provider\": \"openai\", \"fields\": {\"key\": 1}}"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct sc_ai_body body = {texts[i], strlen(texts[i])};
        OWN(sc_str, json) = {0};
        struct sc_err err = {0};
        soil_stack();
        assert_false(sc_ai_models_json(&body, NULL, &json, &err));
        assert_int_equal(err.kind, SC_ERR_USAGE);
        assert_int_equal(json.length, 0);
    }
}
