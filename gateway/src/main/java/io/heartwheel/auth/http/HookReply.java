package io.heartwheel.auth.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.heartwheel.auth.AuthCause;
import io.heartwheel.auth.AuthResult;
import io.heartwheel.auth.Grant;
import io.heartwheel.auth.Grants;
import io.heartwheel.auth.http.HookOutcome.Decided;
import io.heartwheel.auth.http.HookOutcome.Failed;
import io.heartwheel.net.RetryAfter;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reader of the service's answers. It is strict: what is not exactly an admission or a refusal is an outage. Fields that it does not know are passed
 * over; {@code null} is as good as absent. One answer, one thread.
 */
final class HookReply {
    /** Longest answer, bytes. */
    static final int MOST_BYTES = 64 << 10;

    private static final int DEEPEST = 16;
    private static final int LONGEST_NUMBER = 20;
    /** Last second of the year 9999: a time beyond it was not given in seconds. */
    private static final long LAST_SECOND = 253_402_300_799L;

    private static final long LONGEST_INTERVAL_MILLIS = 86_400_000;
    private static final JsonFactory JSON = new JsonFactoryBuilder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(DEEPEST)
                    .maxNumberLength(LONGEST_NUMBER)
                    .build())
            .build();

    /** An answer that makes no sense. */
    private static final class Malformed extends Exception {
        private static final long serialVersionUID = 1L;

        Malformed(String need) {
            super(need, null, false, false);
        }
    }

    private String result = "";
    private long expiresAtMillis = AuthResult.Admitted.NEVER;
    private List<String> groups = List.of();
    private String rateClass = "";
    private int minIntervalMillis;
    private int maxIntervalMillis;
    private final Map<String, String> attributes = new LinkedHashMap<>();
    private long cacheSeconds = HookOutcome.NOT_SAID;

    private HookReply() {}

    /**
     * What an answer means.
     *
     * @param retryAfter value of the header, empty without one
     * @param body of a status 200; more than {@link #MOST_BYTES} is too much
     */
    static HookOutcome read(int status, String retryAfter, byte[] body, long wallMillis, Grants grants) {
        return switch (status) {
            case 200 ->
                body.length > MOST_BYTES
                        ? Failed.malformed("more than " + MOST_BYTES + " bytes")
                        : read(body, wallMillis, grants);
            case 204 -> new Decided(AuthResult.ADMITTED, HookOutcome.NOT_SAID);
            case 403 -> new Decided(new AuthResult.Refused(AuthCause.DENIED, "HTTP 403"), HookOutcome.NOT_SAID);
            // of the gateway and of the path, not of the device: what stands before a service says so of everybody
            case 401 -> Failed.malformed("HTTP 401: it refuses the gateway, see auth.http.secret-file");
            case 404 -> Failed.malformed("HTTP 404: it knows no such path, see auth.http.url");
            default -> new Failed(AuthCause.OUTAGE, "HTTP " + status, false, RetryAfter.millis(retryAfter, wallMillis));
        };
    }

    private static HookOutcome read(byte[] body, long wallMillis, Grants grants) {
        HookReply reply = new HookReply();
        try (JsonParser json = JSON.createParser(body)) {
            reply.readAll(json);
            return reply.decided(wallMillis, grants);
        } catch (Malformed | IllegalArgumentException e) {
            return Failed.malformed(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            return Failed.malformed("no JSON"); // its message repeats parts of the answer
        }
    }

    private HookOutcome decided(long wallMillis, Grants grants) throws Malformed {
        Grant grant = new Grant(minIntervalMillis, maxIntervalMillis, rateClass, groups, attributes);
        return switch (result) {
            case "admit" -> new Decided(admitted(grant, wallMillis, grants), cacheSeconds);
            case "deny" -> new Decided(new AuthResult.Refused(AuthCause.DENIED, ""), cacheSeconds);
            default -> throw new Malformed("result: need admit or deny");
        };
    }

    private AuthResult admitted(Grant grant, long wallMillis, Grants grants) {
        if (expiresAtMillis <= wallMillis) {
            return new AuthResult.Refused(AuthCause.EXPIRED, "expires_at is in the past");
        }
        Grant shared = grants.share(grant);
        return shared == null && expiresAtMillis == AuthResult.Admitted.NEVER
                ? AuthResult.ADMITTED
                : new AuthResult.Admitted(shared, expiresAtMillis);
    }

    // ------------------------------------------------------------------ fields

    private void readAll(JsonParser json) throws IOException, Malformed {
        if (json.nextToken() != JsonToken.START_OBJECT) {
            throw new Malformed("need a JSON object");
        }
        while (json.nextToken() != JsonToken.END_OBJECT) {
            String field = json.currentName();
            JsonToken value = json.nextToken();
            if (value != JsonToken.VALUE_NULL) {
                read(field, json);
            }
        }
        if (json.nextToken() != null) {
            throw new Malformed("need one JSON object, and nothing after it");
        }
    }

    private void read(String field, JsonParser json) throws IOException, Malformed {
        switch (field) {
            case "result" -> result = text(field, json);
            case "expires_at" -> expiresAtMillis = instantMillis(field, json);
            case "groups" -> groups = texts(field, json);
            case "rate_class" -> rateClass = text(field, json);
            case "interval_ms" -> readInterval(json);
            case "attributes" -> readAttributes(json);
            case "cache_seconds" -> cacheSeconds = whole(field, json, LAST_SECOND);
            default -> json.skipChildren();
        }
    }

    private void readInterval(JsonParser json) throws IOException, Malformed {
        need(json, JsonToken.START_OBJECT, "interval_ms: need an object");
        while (json.nextToken() != JsonToken.END_OBJECT) {
            String field = json.currentName();
            JsonToken value = json.nextToken();
            if (value == JsonToken.VALUE_NULL) {
                continue;
            }
            switch (field) {
                case "min" -> minIntervalMillis = (int) whole("interval_ms.min", json, LONGEST_INTERVAL_MILLIS);
                case "max" -> maxIntervalMillis = (int) whole("interval_ms.max", json, LONGEST_INTERVAL_MILLIS);
                default -> json.skipChildren();
            }
        }
    }

    private void readAttributes(JsonParser json) throws IOException, Malformed {
        need(json, JsonToken.START_OBJECT, "attributes: need an object of strings");
        while (json.nextToken() != JsonToken.END_OBJECT) {
            String name = json.currentName();
            json.nextToken();
            if (!Grant.isName(name)) {
                throw new Malformed(
                        "attributes: need names of 1.." + Grant.LONGEST_NAME + " characters of [A-Za-z0-9._:-]");
            }
            attributes.put(name, text("attributes", json));
        }
    }

    private static List<String> texts(String field, JsonParser json) throws IOException, Malformed {
        need(json, JsonToken.START_ARRAY, field + ": need an array of strings");
        List<String> texts = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            texts.add(text(field, json));
        }
        return texts;
    }

    private static String text(String field, JsonParser json) throws IOException, Malformed {
        need(json, JsonToken.VALUE_STRING, field + ": need a string");
        return json.getText();
    }

    private static long whole(String field, JsonParser json, long most) throws IOException, Malformed {
        String need = field + ": need a whole number in 0.." + most;
        need(json, JsonToken.VALUE_NUMBER_INT, need);
        JsonParser.NumberType type = json.getNumberType();
        long value = type == JsonParser.NumberType.BIG_INTEGER ? -1 : json.getLongValue();
        if (value < 0 || value > most) {
            throw new Malformed(need);
        }
        return value;
    }

    /** Seconds since 1970, or a time of RFC 3339. */
    private static long instantMillis(String field, JsonParser json) throws IOException, Malformed {
        if (json.currentToken() != JsonToken.VALUE_STRING) {
            return whole(field, json, LAST_SECOND) * 1_000;
        }
        try {
            return OffsetDateTime.parse(json.getText()).toInstant().toEpochMilli();
        } catch (DateTimeException | ArithmeticException e) {
            throw new Malformed(field + ": need seconds since 1970, or a time such as 2026-01-01T00:00:00Z");
        }
    }

    private static void need(JsonParser json, JsonToken kind, String need) throws Malformed {
        if (json.currentToken() != kind) {
            throw new Malformed(need);
        }
    }
}
