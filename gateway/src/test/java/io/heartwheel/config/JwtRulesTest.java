package io.heartwheel.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import io.heartwheel.auth.jwt.JwtAlgorithm;
import io.heartwheel.auth.jwt.JwtSettings;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The block auth.jwt. */
class JwtRulesTest {
    private static final String GOOD = "keys-url = \"https://issuer/keys\", issuer = i, audience = a";

    @TempDir
    Path dir;

    private final ConfigMistakes mistakes = new ConfigMistakes();

    private Optional<JwtSettings> read(String said) {
        FlatConfig flat = new FlatConfig(ConfigLoader.defaults().getObject("heartwheel"), mistakes);
        flat.addFile(
                ConfigFactory.parseString("heartwheel.auth.jwt {" + said + "}").root());
        return JwtRules.read(Block.checked(flat, mistakes).in("auth.jwt"));
    }

    private String refusal(String said) {
        assertEquals(Optional.empty(), read(said));
        return assertThrows(ConfigException.class, mistakes::throwIfAny)
                .problems()
                .toString();
    }

    @Test
    void read_urlIssuerAndAudience_isEnough() {
        JwtSettings settings = read(GOOD).orElseThrow();

        assertEquals(Set.of(JwtAlgorithm.ES256), settings.algorithms());
        assertEquals(URI.create("https://issuer/keys"), settings.keysUrl());
        assertEquals(Duration.ofHours(1), settings.keysOutage());
        assertEquals("sub", settings.deviceClaim());
        assertEquals(65_536, settings.cache());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "issuer = i, audience = a | keys-file: need a file, or a keys-url",
                "keys-url = \"https://issuer/keys\", audience = a | issuer: need the issuer",
                "keys-url = \"https://issuer/keys\", issuer = i | audience: need the audience",
                "keys-file = k.json, keys-url = \"https://issuer/keys\", issuer = i, audience = a | keys-file: need",
                "algorithms = [], issuer = i, audience = a | algorithms: need at least one",
                "algorithms = [none], issuer = i, audience = a | algorithms: need algorithms: HS256, RS256",
                "algorithms = [HS256], issuer = i, audience = a | secret-file: need a file",
                "algorithms = [HS256], keys-url = \"https://i/\", issuer = i, audience = a | keys-url: need",
                "keys-url = \"https://i/\", issuer = i, audience = a, secret-file = s | without HS256",
                "keys-url = \"http://issuer/keys\", issuer = i, audience = a | keys-url: need https",
                "keys-url = \"http://127.0.0.1.evil/keys\", issuer = i, audience = a | keys-url: need https",
                "keys-url = \"https://u:p@issuer/keys\", issuer = i, audience = a | keys-url: need https",
                "keys-url = \"file:///etc/passwd\", issuer = i, audience = a | keys-url: need https",
                "keys-url = \"https://i/\", issuer = i, audience = a, device-claim = \"\" | device-claim: need the name",
                "keys-url = \"https://i/\", issuer = i, audience = a, skew = 11m | skew = 11m: need 0s..10m",
                "keys-url = \"https://i/\", issuer = i, audience = a, cache = -1 | cache = -1: need 0..16777216",
                "keys-url = \"https://i/\", issuer = i, audience = a, keys-refresh = 1s | need 1m..24h",
            })
    void read_contradiction_isToldWithWhatIsNeeded(String said, String need) {
        String refusal = refusal(said);
        String loose = refusal.replaceAll(" = [^:]*:", ":");

        assertTrue(refusal.contains(need) || loose.contains(need), refusal);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"https://issuer/keys?a=b", "http://localhost:8080/keys", "http://127.1.2.3/", "http://[::1]/"})
    void read_urlThatNobodyCanChangeTheAnswerOf_isTaken(String url) {
        assertTrue(
                read("keys-url = \"" + url + "\", issuer = i, audience = \"*\"").isPresent());
    }

    @Test
    void read_files_areLookedInto() throws Exception {
        Path secret = Files.writeString(dir.resolve("secret"), "0123456789012345678901234567890\n");
        String said = "algorithms = [HS256], issuer = i, audience = a, secret-file = \"" + secret + "\"";
        String refusal = refusal(said);
        assertTrue(refusal.contains("31 bytes") && !refusal.contains("0123"), refusal);
        Files.writeString(secret, "01234567890123456789012345678901\r\n");
        assertEquals(secret, read(said).orElseThrow().secretFile());

        Path keys = Files.writeString(dir.resolve("keys"), "{\"keys\":[]}");
        refusal = refusal("issuer = i, audience = a, keys-file = \"" + keys + "\"");
        assertTrue(refusal.contains("need a JWKS to use: no key for [ES256]"), refusal);
    }
}
