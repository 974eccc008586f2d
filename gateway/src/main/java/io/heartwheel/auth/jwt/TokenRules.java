package io.heartwheel.auth.jwt;

import io.heartwheel.auth.AuthCause;
import io.heartwheel.auth.Grant;
import io.heartwheel.auth.jwt.StrictJson.Digits;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Rules for the claims of a token, and what they grant. Immutable; any thread. */
final class TokenRules {
    private static final double YEAR_10000_SECONDS = 253_402_300_800.0;

    private final JwtSettings settings;
    private final long skewMillis;

    TokenRules(JwtSettings settings) {
        this.settings = settings;
        skewMillis = settings.skew().toMillis();
    }

    /**
     * Checks time, issuer, audience and device, in this order.
     *
     * @param device the claimed id; a claim equals it letter by letter
     * @return when the token expires, milliseconds since 1970
     */
    long check(Map<String, Object> claims, String device, long nowMillis) throws TokenRefused {
        long expiresAtMillis = millis("exp", claims.get("exp"));
        if (expiresAtMillis <= nowMillis) {
            throw new TokenRefused(AuthCause.EXPIRED, (nowMillis - expiresAtMillis) / 1_000 + " s ago");
        }
        started("nbf", claims, nowMillis);
        started("iat", claims, nowMillis);
        if (!settings.issuer().equals(claims.get("iss"))) {
            throw new TokenRefused(AuthCause.ISSUER, claims.containsKey("iss") ? "" : "no iss");
        }
        if (!settings.audience().equals(JwtSettings.ANY_AUDIENCE) && !isForUs(claims.get("aud"))) {
            throw new TokenRefused(AuthCause.AUDIENCE, claims.containsKey("aud") ? "" : "no aud");
        }
        if (!device.equals(claims.get(settings.deviceClaim()))) {
            throw new TokenRefused(
                    AuthCause.OTHER_DEVICE,
                    claims.get(settings.deviceClaim()) instanceof String ? "" : "no text in the device claim");
        }
        return expiresAtMillis;
    }

    /** Claims that this device is admitted with, for an hour. */
    Map<String, Object> admitted(String device, long nowMillis) {
        Map<String, Object> claims = new HashMap<>();
        settings.attributes().forEach(name -> claims.put(name, device));
        for (String name : List.of(settings.groupsClaim(), settings.rateClassClaim())) {
            if (!name.isEmpty()) {
                claims.put(name, device);
            }
        }
        claims.put("iss", settings.issuer());
        claims.put("aud", settings.audience());
        claims.put("exp", nowMillis / 1_000 + TimeUnit.HOURS.toSeconds(1));
        claims.put(settings.deviceClaim(), device);
        return claims;
    }

    private void started(String name, Map<String, Object> claims, long nowMillis) throws TokenRefused {
        Object value = claims.get(name);
        if (value != null && millis(name, value) > nowMillis + skewMillis) {
            throw new TokenRefused(
                    AuthCause.NOT_YET_VALID, name + " in " + (millis(name, value) - nowMillis) / 1_000 + " s");
        }
    }

    private boolean isForUs(@Nullable Object audience) {
        return settings.audience().equals(audience)
                || (audience instanceof List<?> list
                        && list.stream().allMatch(String.class::isInstance)
                        && list.contains(settings.audience()));
    }

    /** A time in seconds, fractions allowed, before the year 10000. */
    private static long millis(String name, @Nullable Object value) throws TokenRefused {
        double seconds = value instanceof Digits digits ? Double.parseDouble(digits.text()) : -1;
        if (!(seconds >= 0 && seconds < YEAR_10000_SECONDS)) {
            throw TokenRefused.malformed(value == null ? "no " + name : name + ": need seconds since 1970");
        }
        return (long) Math.floor(seconds * 1_000);
    }

    // ------------------------------------------------------------------ what it grants

    /** What the claims of a verified token grant. */
    Grant grant(Map<String, Object> claims) throws TokenRefused {
        try {
            return new Grant(0, 0, rateClass(claims), groups(claims.get(settings.groupsClaim())), attributes(claims));
        } catch (IllegalArgumentException limit) {
            throw TokenRefused.malformed(String.valueOf(limit.getMessage()));
        }
    }

    private String rateClass(Map<String, Object> claims) throws TokenRefused {
        Object value = claims.get(settings.rateClassClaim());
        if (value != null && !(value instanceof String)) {
            throw TokenRefused.malformed(settings.rateClassClaim() + ": need text");
        }
        return value == null ? "" : (String) value;
    }

    private List<String> groups(@Nullable Object value) throws TokenRefused {
        if (value == null) {
            return List.of();
        }
        if (value instanceof String text) {
            return text.isBlank() ? List.of() : List.of(text.strip().split(" +"));
        }
        if (!(value instanceof List<?> list) || !list.stream().allMatch(String.class::isInstance)) {
            throw TokenRefused.malformed(
                    settings.groupsClaim() + ": need a list of texts, or names with spaces between");
        }
        List<String> groups = new ArrayList<>();
        list.forEach(each -> groups.add((String) each));
        return groups;
    }

    private Map<String, String> attributes(Map<String, Object> claims) throws TokenRefused {
        Map<String, String> attributes = new HashMap<>();
        for (String name : settings.attributes()) {
            Object value = claims.get(name);
            if (value instanceof String || value instanceof Boolean) {
                attributes.put(name, value.toString());
            } else if (value instanceof Digits digits) {
                attributes.put(name, digits.text());
            } else if (value != null) {
                throw TokenRefused.malformed(name + ": need text, a number, true or false");
            }
        }
        return attributes;
    }
}
