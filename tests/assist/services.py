# tests/assist/services.py - stand-ins on the loopback address for the services that can be asked.
#
# Each checks the shape of what it is sent (path, headers, body, Bedrock's signature by an
# implementation of its own) and answers as the real one does, whole or streamed, well or badly.
#
# SPDX-License-Identifier: Apache-2.0
"""Services to ask, without a network."""

import binascii
import calendar
import hashlib
import hmac
import json
import struct
import time
import urllib.parse

# Keys whose letters can be looked for in every output; each kind is another.
KEYS = {
    "openai": "sk-test-openai-f00dcafe0001", "anthropic": "sk-ant-test-f00dcafe0002", "gemini": "AIza-test-f00dcafe0003",
    "azure": "azure-test-f00dcafe0004", "aws_access": "AKIATESTF00DCAFE0005", "aws_secret": "aws/secret+test/f00dcafe0006",
    "aws_token": "aws-token-test-f00dcafe0007==", "aws_bearer": "bedrock-api-key-f00dcafe0008", "compatible": "local-test-f00dcafe0009",
}


class Wrong(Exception):
    """A request that the real service would not take: status and sentence."""

    def __init__(self, status, sentence):
        super().__init__(sentence)
        self.status = status


def expect(good, sentence, status=400):
    if not good:
        raise Wrong(status, sentence)


def pieces_of(text):
    """Uneven pieces, also in the middle of lines and letters of several bytes stay whole."""
    sizes = (1, 7, 3, 19, 2)
    index = 0
    while text:
        size = sizes[index % len(sizes)]
        yield text[:size]
        text = text[size:]
        index += 1


def sse(events, names=False):
    for event in events:
        data = event if isinstance(event, str) else json.dumps(event, ensure_ascii=False)
        head = "event: %s\r\n" % event["type"] if names else ""
        yield (head + "data: " + data + "\r\n\r\n").encode()


class OpenAI:
    key = "openai"
    model = "gpt-5.2"
    limit = "max_completion_tokens"
    base = "/v1"

    def environment(self, url):
        return {"OPENAI_API_KEY": KEYS["openai"], "OPENAI_BASE_URL": url + "/v1/"}

    words = ("--provider", "openai")

    def check_key(self, request):
        expect(request.headers["authorization"] == "Bearer " + KEYS[self.key], "Incorrect API key provided", 401)

    def check(self, request):
        self.check_key(request)
        if request.method == "GET":
            expect(request.path == self.base + "/models", "no such path", 404)
            return "list"
        expect(request.path == self.base + "/chat/completions", "no such path", 404)
        body = request.json()
        expect(set(body) == {"model", "messages", "stream", self.limit}, "keys: %s" % sorted(body))
        expect(body["model"] == self.model, "The model does not exist", 404)
        expect(body[self.limit] > 1000, "a limit")
        expect([message["role"] for message in body["messages"]] == ["system", "user"], "roles")
        expect(body["stream"] is True, "stream")
        request.asked = body["messages"][0]["content"], body["messages"][1]["content"]
        return "ask"

    def error(self, status, sentence, code=None):
        return {"error": {"message": sentence, "type": "invalid_request_error", "param": None, "code": code}}

    def quota(self):
        return 429, self.error(429, "You exceeded your current quota, please check your plan", "insufficient_quota")

    def rate(self):
        sentence = "Rate limit reached for gpt-5.2. You can increase your rate limit by adding a payment method at /account/billing."
        return self.error(429, sentence, "rate_limit_exceeded")

    def models(self):
        names = ("gpt-5.2", "gpt-4o-audio-preview", "dall-e-3", "o3", "gpt-5.2-pro", "text-embedding-3-small")
        return {"object": "list", "data": [{"id": name, "object": "model"} for name in names]}

    shown_models = ["gpt-5.2", "o3"]

    def whole(self, text, reason="stop"):
        message = {"role": "assistant", "content": text, "refusal": None}
        return {"choices": [{"index": 0, "message": message, "finish_reason": reason}], "usage": {"total_tokens": 3}}

    def stream(self, text, reason="stop"):
        def chunk(delta, reason=None):
            return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

        events = [chunk({"role": "assistant", "content": ""})]
        events += [chunk({"content": piece}) for piece in pieces_of(text)]
        events += [chunk({}, reason), {"choices": [], "usage": {"total_tokens": 3}}, "[DONE]"]
        yield from sse(events)

    def whole_of_parts(self, text):
        """As models that think aloud answer through some servers."""
        parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": text}]
        return self.whole(parts)

    stream_type = "text/event-stream; charset=utf-8"
    too_long = "length"
    refused = "content_filter"

    def stream_error(self):
        return b'data: {"error":{"message":"The server had an error","type":"server_error"}}\n\n'


class Compatible(OpenAI):
    key = "compatible"
    model = "some-model"
    limit = "max_tokens"
    words = ("--provider", "compatible", "--model", "some-model")
    shown_models = ["gpt-5.2", "gpt-5.2-pro", "o3", "dall-e-3", "gpt-4o-audio-preview", "text-embedding-3-small"]

    def environment(self, url):
        return {"SCALENE_AI_KEY": KEYS["compatible"], "SCALENE_AI_URL": url + "/v1"}


class Azure(OpenAI):
    key = "azure"
    words = ("--provider", "azure", "--model", "my deployment")

    def environment(self, url):
        return {"AZURE_OPENAI_API_KEY": KEYS["azure"], "AZURE_OPENAI_ENDPOINT": url}

    def check(self, request):
        expect(request.headers["api-key"] == KEYS["azure"], "Access denied due to invalid key", 401)
        expect("authorization" not in request.headers, "two keys")
        expect(
            request.path == "/openai/deployments/my%20deployment/chat/completions?api-version=2024-10-21",
            "The API deployment for this resource does not exist",
            404,
        )
        body = request.json()
        expect(set(body) == {"messages", "stream", "max_completion_tokens"}, "keys: %s" % sorted(body))
        request.asked = body["messages"][0]["content"], body["messages"][1]["content"]
        return "ask"

    shown_models = ["gpt-4.1", "gpt-4.1-mini", "gpt-4o", "o3-mini"]

    def stream(self, text, reason="stop"):
        # Azure begins with what its filter says of the question
        yield from sse([{"choices": [], "prompt_filter_results": [{"prompt_index": 0}]}])
        yield from super().stream(text, reason)


class Anthropic:
    key = "anthropic"
    words = ("--provider", "anthropic")
    shown_models = ["claude-haiku-4-5", "claude-sonnet-4-5"]
    stream_type = "text/event-stream; charset=utf-8"
    too_long = "max_tokens"
    refused = "refusal"

    def environment(self, url):
        return {"ANTHROPIC_API_KEY": KEYS["anthropic"], "ANTHROPIC_BASE_URL": url}

    def check(self, request):
        expect(request.headers["x-api-key"] == KEYS["anthropic"], "invalid x-api-key", 401)
        expect(request.headers["anthropic-version"] == "2023-06-01", "anthropic-version: header is required")
        if request.method == "GET":
            expect(request.path == "/v1/models?limit=1000", "Not found", 404)
            return "list"
        expect(request.path == "/v1/messages", "Not found", 404)
        body = request.json()
        expect(set(body) == {"model", "max_tokens", "system", "messages", "stream"}, "keys: %s" % sorted(body))
        expect(body["model"] == "claude-sonnet-4-5", "model: " + body["model"], 404)
        expect([message["role"] for message in body["messages"]] == ["user"], "roles")
        request.asked = body["system"], body["messages"][0]["content"]
        return "ask"

    def error(self, status, sentence, code="invalid_request_error"):
        return {"type": "error", "error": {"type": code, "message": sentence}}

    def quota(self):
        return 400, self.error(400, "Your credit balance is too low to access the Anthropic API.")

    def models(self):
        return {"data": [{"type": "model", "id": name} for name in reversed(self.shown_models)], "has_more": False}

    def whole(self, text, reason="end_turn"):
        return {"type": "message", "content": [{"type": "text", "text": text}], "stop_reason": reason}

    def stream(self, text, reason="end_turn"):
        events = [
            {"type": "message_start", "message": {"content": [], "stop_reason": None}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "ping"},
        ]
        events += [{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}} for piece in pieces_of(text)]
        events += [
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 3}},
            {"type": "message_stop"},
        ]
        yield from sse(events, names=True)

    def stream_error(self):
        return b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"The server had an error"}}\n\n'


class Gemini:
    key = "gemini"
    words = ("--provider", "gemini")
    shown_models = ["gemini-2.5-flash", "gemini-2.5-pro"]
    stream_type = "text/event-stream"
    too_long = "MAX_TOKENS"
    refused = "SAFETY"

    def environment(self, url):
        return {"GOOGLE_API_KEY": KEYS["gemini"], "GOOGLE_GEMINI_BASE_URL": url}

    def check(self, request):
        expect(KEYS["gemini"] not in request.path and "key=" not in request.path, "the key is in the address")
        expect(request.headers["x-goog-api-key"] == KEYS["gemini"], "API key not valid. Please pass a valid API key.", 400)
        if request.method == "GET":
            expect(request.path == "/v1beta/models?pageSize=1000", "no such path", 404)
            return "list"
        expect(request.path == "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse", "not found", 404)
        body = request.json()
        expect(set(body) == {"systemInstruction", "contents", "generationConfig"}, "keys: %s" % sorted(body))
        expect(body["generationConfig"]["maxOutputTokens"] > 1000, "a limit")
        expect(body["contents"][0]["role"] == "user", "role")
        request.asked = body["systemInstruction"]["parts"][0]["text"], body["contents"][0]["parts"][0]["text"]
        return "ask"

    def error(self, status, sentence, code="INVALID_ARGUMENT"):
        return {"error": {"code": status, "message": sentence, "status": code}}

    def quota(self):
        return 429, self.error(429, "You exceeded your current quota, please check your plan and billing details.")

    def rate(self, quota="GenerateRequestsPerMinutePerProjectPerModel", seconds="41.3s"):
        made = self.quota()[1]
        made["error"]["details"] = [
            {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": quota}]},
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": seconds},
        ]
        return made

    def day(self):
        return self.rate("GenerateRequestsPerDayPerProjectPerModel-FreeTier")

    def models(self):
        def model(name, *methods):
            return {"name": "models/" + name, "supportedGenerationMethods": list(methods)}

        return {
            "models": [
                model("gemini-2.5-pro", "generateContent", "countTokens"),
                model("gemini-2.5-flash", "generateContent"),
                model("gemini-embedding-001", "embedContent"),
                model("gemma-3-27b-it", "generateContent"),
            ]
        }

    def part(self, text, reason=None):
        candidate = {"content": {"parts": [{"text": text}], "role": "model"}, "index": 0}
        if reason:
            candidate["finishReason"] = reason
        return {"candidates": [candidate], "modelVersion": "gemini-2.5-pro"}

    def whole(self, text, reason="STOP"):
        return self.part(text, reason)

    def stream(self, text, reason="STOP"):
        thought = {"candidates": [{"content": {"parts": [{"text": "hm", "thought": True}], "role": "model"}}]}
        yield from sse([thought] + [self.part(piece) for piece in pieces_of(text)] + [self.part("", reason)])

    def stream_error(self):
        return b'data: {"error": {"code": 503, "message": "The server had an error", "status": "UNAVAILABLE"}}\n\n'


class Ollama:
    key = None
    words = ("--provider", "ollama")
    shown_models = ["codellama:latest", "qwen2.5-coder:7b", "bge-m3:latest"]
    stream_type = "application/x-ndjson"
    too_long = "length"
    refused = None

    def environment(self, url):
        return {"OLLAMA_HOST": url.replace("http://", "")}

    def check(self, request):
        if request.method == "GET":
            expect(request.path == "/api/tags", "404 page not found", 404)
            return "list"
        expect(request.path == "/api/chat", "404 page not found", 404)
        body = request.json()
        expect(set(body) == {"model", "messages", "stream", "options"}, "keys: %s" % sorted(body))
        expect(body["model"] == "codellama:latest", "model '%s' not found" % body["model"], 404)
        length = sum(len(message["content"]) for message in body["messages"])
        expect(body["options"]["num_ctx"] >= length / 3, "the context is too small")
        request.asked = body["messages"][0]["content"], body["messages"][1]["content"]
        return "ask"

    def error(self, status, sentence, code=None):
        return {"error": sentence}

    def quota(self):
        return None

    def models(self):
        return {"models": [{"name": name, "size": 1} for name in reversed(self.shown_models)]}

    def part(self, text, done=False, reason=None):
        part = {"model": "codellama:latest", "message": {"role": "assistant", "content": text}, "done": done}
        if reason:
            part["done_reason"] = reason
        return part

    def whole(self, text, reason="stop"):
        return self.part(text, True, reason)

    def stream(self, text, reason="stop"):
        for piece in pieces_of(text):
            yield json.dumps(self.part(piece)).encode() + b"\n"
        yield json.dumps(self.part("", True, reason)).encode() + b"\n"

    def stream_error(self):
        return b'{"error":"The server had an error"}\n'


def sign(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


class Bedrock:
    key = "aws_secret"
    words = ("--provider", "bedrock")
    shown_models = ["us.amazon.nova-pro-v1:0", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"]
    stream_type = "application/vnd.amazon.eventstream"
    too_long = "max_tokens"
    refused = "guardrail_intervened"

    def environment(self, url):
        return {
            "AWS_ACCESS_KEY_ID": KEYS["aws_access"], "AWS_SECRET_ACCESS_KEY": KEYS["aws_secret"], "AWS_SESSION_TOKEN": KEYS["aws_token"],
            "AWS_REGION": "eu-central-1", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": url,
        }

    def check_signature(self, request):
        """Signature Version 4, made anew from what came over the wire."""
        given = request.headers.get("authorization", "")
        expect(given.startswith("AWS4-HMAC-SHA256 "), "Missing Authentication Token", 403)
        parts = dict(part.strip().split("=", 1) for part in given[len("AWS4-HMAC-SHA256 ") :].split(","))
        access, day, region, service, ending = parts["Credential"].split("/")
        expect((access, region, service, ending) == (KEYS["aws_access"], "eu-central-1", "bedrock", "aws4_request"), "credential", 403)
        now = request.headers["x-amz-date"]
        sent = calendar.timegm(time.strptime(now, "%Y%m%dT%H%M%SZ"))
        expect(now.startswith(day) and abs(sent - time.time()) < 300, "Signature expired", 403)
        names = parts["SignedHeaders"].split(";")
        expect(names == sorted(names) and {"host", "x-amz-date", "x-amz-security-token"} <= set(names), "headers", 403)
        path, _, query = request.path.partition("?")
        canonical = "\n".join(
            [
                request.method, urllib.parse.quote(path, safe="/-_.~"), "&".join(sorted(query.split("&"))),
                *("%s:%s" % (name, " ".join(request.headers[name].split())) for name in names), "", ";".join(names),
                hashlib.sha256(request.body).hexdigest(),
            ]
        )
        scope = "/".join((day, region, service, ending))
        text = "\n".join(("AWS4-HMAC-SHA256", now, scope, hashlib.sha256(canonical.encode()).hexdigest()))
        key = ("AWS4" + KEYS["aws_secret"]).encode()
        for part in (day, region, service, ending):
            key = sign(key, part)
        wanted = sign(key, text).hex()
        expect(hmac.compare_digest(wanted, parts["Signature"]), "The request signature we calculated does not match", 403)

    def check(self, request):
        if request.headers.get("authorization", "").startswith("Bearer "):
            expect(request.headers["authorization"] == "Bearer " + KEYS["aws_bearer"], "bad bearer", 403)
        else:
            self.check_signature(request)
            expect(request.headers["x-amz-security-token"] == KEYS["aws_token"], "token", 403)
        if request.method == "GET":
            expect(request.path == "/inference-profiles?maxResults=1000", "no such path", 404)
            return "list"
        expect(
            request.path == "/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream", "The provided model identifier is invalid.", 404
        )
        body = request.json()
        expect(set(body) == {"system", "messages", "inferenceConfig"}, "keys: %s" % sorted(body))
        request.asked = body["system"][0]["text"], body["messages"][0]["content"][0]["text"]
        return "ask"

    def error(self, status, sentence, code=None):
        return {"message": sentence}

    def quota(self):
        return None

    def models(self):
        return {"inferenceProfileSummaries": [{"inferenceProfileId": name} for name in self.shown_models]}

    def whole(self, text, reason="end_turn"):
        return {"output": {"message": {"role": "assistant", "content": [{"text": text}]}}, "stopReason": reason}

    def message(self, name, payload, kind="event"):
        headers = b""
        for key, value in ((":%s-type" % kind, name), (":content-type", "application/json"), (":message-type", kind)):
            headers += bytes([len(key)]) + key.encode() + b"\x07" + struct.pack(">H", len(value)) + value.encode()
        data = json.dumps(payload).encode()
        prelude = struct.pack(">II", 16 + len(headers) + len(data), len(headers))
        whole = prelude + struct.pack(">I", binascii.crc32(prelude)) + headers + data
        return whole + struct.pack(">I", binascii.crc32(whole))

    def stream(self, text, reason="end_turn"):
        yield self.message("messageStart", {"role": "assistant"})
        for piece in pieces_of(text):
            yield self.message("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": piece}})
        yield self.message("contentBlockStop", {"contentBlockIndex": 0})
        yield self.message("messageStop", {"stopReason": reason})
        yield self.message("metadata", {"usage": {"totalTokens": 3}})

    def stream_error(self):
        return self.message("modelStreamErrorException", {"message": "The server had an error"}, "exception")


class BedrockKey(Bedrock):
    key = "aws_bearer"

    def environment(self, url):
        return {"AWS_BEARER_TOKEN_BEDROCK": KEYS["aws_bearer"], "AWS_REGION": "eu-central-1", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": url}


SERVICES = {
    "openai": OpenAI(), "anthropic": Anthropic(), "gemini": Gemini(), "azure": Azure(), "bedrock": Bedrock(), "bedrock-key": BedrockKey(),
    "ollama": Ollama(), "compatible": Compatible(),
}
