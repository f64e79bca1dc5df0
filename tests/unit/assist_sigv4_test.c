/*
 * tests/unit/assist_sigv4_test.c - request signing, against Amazon's published test suite.
 *
 * Names are those of the suite's cases
 * (https://github.com/awslabs/aws-c-auth/tree/main/tests/aws-signing-test-suite/v4).
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "assist/sigv4.h"
#include "base/mem.h"
#include "sc_test.h"

static void expect(const struct sc_sigv4 *request, const char *names, const char *signature)
{
    OWN(sc_str, authorization) = {0};
    sc_sigv4_sign(request, &authorization);
    SC_AUTO_FREE char *wanted =
        sc_format("AWS4-HMAC-SHA256 Credential=%s/20150830/us-east-1/service/aws4_request, "
                  "SignedHeaders=%s, Signature=%s",
                  request->access_key, names, signature);
    assert_string_equal(authorization.data, wanted);
}

static struct sc_sigv4 suite(const char *method, const char *path, const char *query)
{
    return (struct sc_sigv4){
        .method = method,
        .path = path,
        .query = query,
        .host = "example.amazonaws.com",
        .body = "",
        .time = "20150830T123600Z",
        .region = "us-east-1",
        .service = "service",
        .access_key = "AKIDEXAMPLE",
        .secret_key = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
    };
}

TEST(get_vanilla)
{
    struct sc_sigv4 request = suite("GET", "/", "");
    expect(&request, "host;x-amz-date",
           "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31");
}

TEST(post_vanilla)
{
    struct sc_sigv4 request = suite("POST", "/", "");
    expect(&request, "host;x-amz-date",
           "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b");
}

TEST(get_vanilla_query_order_key_case)
{
    struct sc_sigv4 request = suite("GET", "/", "Param2=value2&Param1=value1");
    expect(&request, "host;x-amz-date",
           "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500");
}

TEST(get_vanilla_query_order_value)
{
    struct sc_sigv4 request = suite("GET", "/", "Param1=value2&Param1=value1");
    expect(&request, "host;x-amz-date",
           "5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694");
}

TEST(get_unreserved)
{
    struct sc_sigv4 request =
        suite("GET", "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "");
    expect(&request, "host;x-amz-date",
           "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f");
}

TEST(post_x_www_form_urlencoded)
{
    static const char *const headers[] = {"content-type", "application/x-www-form-urlencoded",
                                          NULL};
    struct sc_sigv4 request = suite("POST", "/", "");
    request.headers = headers;
    request.body = "Param1=value1";
    request.body_length = strlen(request.body);
    expect(&request, "content-type;host;x-amz-date",
           "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a");
}

TEST(get_header_value_trim)
{
    static const char *const headers[] = {"my-header1", " value1", "my-header2", " \"a   b   c\" ",
                                          NULL};
    struct sc_sigv4 request = suite("GET", "/", "");
    request.headers = headers;
    expect(&request, "host;my-header1;my-header2;x-amz-date",
           "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736");
}

/* The suite's case of this name, as far as the path goes. */
TEST(double_encode_path)
{
    struct sc_sigv4 request =
        suite("POST", "/2013-04-01/healthcheck/foo%3Cbar%3Ebaz%3C%2Fbar%3E", "");
    OWN(sc_str, text) = {0};
    OWN(sc_str, names) = {0};
    sc_sigv4_canonical(&request, &text, &names);
    assert_non_null(
        strstr(text.data, "\n/2013-04-01/healthcheck/foo%253Cbar%253Ebaz%253C%252Fbar%253E\n\n"));
}

TEST(post_sts_header_before)
{
    static const char token[] =
        "AQoDYXdzEPT//////////"
        "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSP"
        "fIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
        "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT"
        "7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+"
        "scqKmlz"
        "m8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==";
    static const char *const headers[] = {"x-amz-security-token", token, NULL};
    struct sc_sigv4 request = suite("POST", "/", "");
    request.headers = headers;
    expect(&request, "host;x-amz-date;x-amz-security-token",
           "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead");
}

/* The token is a header among those that are signed, at its place in the order. */
TEST(a_session_token_is_signed)
{
    static const char *const headers[] = {"content-type", "application/json",
                                          "x-amz-security-token", "token", NULL};
    struct sc_sigv4 request = suite("POST", "/", "");
    OWN(sc_str, text) = {0};
    OWN(sc_str, names) = {0};
    request.headers = headers;
    sc_sigv4_canonical(&request, &text, &names);
    assert_string_equal(names.data, "content-type;host;x-amz-date;x-amz-security-token");
    assert_non_null(strstr(text.data,
                           "content-type:application/json\nhost:example.amazonaws.com\n"
                           "x-amz-date:20150830T123600Z\nx-amz-security-token:token\n\n"));
}
