package io.heartwheel.loadgen.credential;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.heartwheel.loadgen.scenario.Auth;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.AlgorithmParameters;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.security.spec.RSAPublicKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tokens by these keys, verified with nothing but the key set that a gateway is told. */
final class SigningKeyTest {

    private static final long NOW = 1_700_000_000L;
    private static final ObjectMapper JSON = new ObjectMapper();

    private static byte[] decoded(String text) {
        return Base64.getUrlDecoder().decode(text);
    }

    private static BigInteger number(JsonNode key, String name) {
        return new BigInteger(1, decoded(key.path(name).asText()));
    }

    private static PublicKey told(JsonNode key) throws Exception {
        return switch (key.path("kty").asText()) {
            case "EC" -> {
                assertEquals(43, key.path("x").asText().length());
                assertEquals(43, key.path("y").asText().length());
                AlgorithmParameters curve = AlgorithmParameters.getInstance("EC");
                curve.init(new ECGenParameterSpec("secp256r1"));
                ECPoint point = new ECPoint(number(key, "x"), number(key, "y"));
                yield KeyFactory.getInstance("EC")
                        .generatePublic(new ECPublicKeySpec(point, curve.getParameterSpec(ECParameterSpec.class)));
            }
            case "RSA" ->
                KeyFactory.getInstance("RSA").generatePublic(new RSAPublicKeySpec(number(key, "n"), number(key, "e")));
            default -> {
                String x = HexFormat.of().formatHex(decoded(key.path("x").asText()));
                yield KeyFactory.getInstance("Ed25519")
                        .generatePublic(
                                new X509EncodedKeySpec(HexFormat.of().parseHex("302a300506032b6570032100" + x)));
            }
        };
    }

    private static boolean verifies(Auth.Algorithm algorithm, JsonNode key, String token) throws Exception {
        Signature verifier = Signature.getInstance(
                switch (algorithm) {
                    case ES256 -> "SHA256withECDSAinP1363Format";
                    case RS256 -> "SHA256withRSA";
                    case EDDSA -> "Ed25519";
                });
        verifier.initVerify(told(key));
        int end = token.lastIndexOf('.');
        verifier.update(token.substring(0, end).getBytes(StandardCharsets.US_ASCII));
        return verifier.verify(decoded(token.substring(end + 1)));
    }

    @ParameterizedTest
    @EnumSource
    void sign_eachAlgorithm_isVerifiedByTheKeysThatAreTold(Auth.Algorithm algorithm) throws Exception {
        JwtMaker maker = new JwtMaker(new Auth.Jwt(algorithm, 0, "https://i", "a\"b", List.of("one", "two")), 11);
        JsonNode keys = JSON.readTree(maker.keySet(1)).path("keys");
        assertEquals(2, keys.size());
        String good = maker.good(1, "d-1", NOW, NOW + 60);
        JsonNode header = JSON.readTree(decoded(good.split("\\.", -1)[0]));
        assertEquals(algorithm.label(), header.path("alg").asText());
        assertEquals(keys.get(0).path("kid"), header.path("kid"));
        assertTrue(verifies(algorithm, keys.get(0), good));
        assertFalse(verifies(algorithm, keys.get(1), good));
        assertEquals(
                JSON.readTree("{'iss':'https://i','aud':'a\\\"b','sub':'d-1','iat':1700000000,'exp':1700000060,"
                        .concat("'groups':['one','two']}")
                        .replace('\'', '"')),
                JSON.readTree(decoded(good.split("\\.", -1)[1])));
        assertFalse(verifies(algorithm, keys.get(0), maker.wrong(Auth.Wrong.FORGED, 1, "d-1", NOW, NOW + 60)));
    }

    @ParameterizedTest
    @EnumSource
    void of_sameSeed_isTheSameInEachProcess(Auth.Algorithm algorithm) {
        String told = SigningKey.of(algorithm, 5, 2).told();
        assertEquals(told, SigningKey.of(algorithm, 5, 2).told());
        assertNotEquals(told, SigningKey.of(algorithm, 6, 2).told());
    }
}
