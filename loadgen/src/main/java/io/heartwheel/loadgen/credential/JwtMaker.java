package io.heartwheel.loadgen.credential;

import io.heartwheel.loadgen.scenario.Auth;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** Maker of signed tokens, and of those that are wrong in one way. Any thread; keys are made when they are first needed. */
final class JwtMaker {

    /** Under the name of a key that is told, and nobody is told of this one. */
    private static final int FORGER = -7;

    private static final long HOUR_SECONDS = 3_600;
    private static final int CUT_CHARS = 9;

    private final Auth.Jwt jwt;
    private final long seed;
    private final String groups;
    private final ConcurrentHashMap<Integer, SigningKey> keys = new ConcurrentHashMap<>();

    JwtMaker(Auth.Jwt jwt, long seed) {
        this.jwt = jwt;
        this.seed = seed;
        this.groups = jwt.groups().isEmpty() ? "" : ",\"groups\":" + list(jwt.groups());
    }

    private static String list(List<String> texts) {
        return texts.stream().map(JwtMaker::quoted).collect(Collectors.joining(",", "[", "]"));
    }

    private static String quoted(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }

    SigningKey key(int number) {
        return keys.computeIfAbsent(number, each -> SigningKey.of(jwt.algorithm(), seed, each));
    }

    /** A key set with the newest key and the one before it. */
    String keySet(int newest) {
        String before = newest > 0 ? "," + key(newest - 1).told() : "";
        return "{\"keys\":[" + key(newest).told() + before + "]}";
    }

    /** A good one. */
    String good(int key, String device, long nowSeconds, long expirySeconds) {
        return signed(key(key), key(key).name(), claims(device, jwt.audience(), nowSeconds, expirySeconds));
    }

    /** One that nobody may accept from this device. */
    String wrong(Auth.Wrong how, int key, String device, long nowSeconds, long expirySeconds) {
        String name = key(key).name();
        return switch (how) {
            case FORGED -> signed(key(FORGER), name, claims(device, jwt.audience(), nowSeconds, expirySeconds));
            case DEVICE -> good(key, device + "-other", nowSeconds, expirySeconds);
            case EXPIRED -> good(key, device, nowSeconds - 2 * HOUR_SECONDS, nowSeconds - HOUR_SECONDS);
            case AUDIENCE ->
                signed(key(key), name, claims(device, jwt.audience() + "-other", nowSeconds, expirySeconds));
            case UNSIGNED ->
                encoded("{\"alg\":\"none\"}") + "." + encoded(claims(device, jwt.audience(), nowSeconds, expirySeconds))
                        + ".";
            case TRUNCATED -> {
                String whole = good(key, device, nowSeconds, expirySeconds);
                yield whole.substring(0, whole.length() - CUT_CHARS);
            }
        };
    }

    private String claims(String device, String audience, long nowSeconds, long expirySeconds) {
        return "{\"iss\":" + quoted(jwt.issuer()) + ",\"aud\":" + quoted(audience) + ",\"sub\":" + quoted(device)
                + ",\"iat\":" + nowSeconds + ",\"exp\":" + expirySeconds + groups + "}";
    }

    private String signed(SigningKey key, String name, String claims) {
        String header = "{\"alg\":\"" + jwt.algorithm().label() + "\",\"typ\":\"JWT\",\"kid\":\"" + name + "\"}";
        String text = encoded(header) + "." + encoded(claims);
        return text + "." + SigningKey.encoded(key.sign(text));
    }

    private static String encoded(String json) {
        return SigningKey.encoded(json.getBytes(StandardCharsets.UTF_8));
    }
}
