package io.heartwheel.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import io.heartwheel.auth.http.BreakerSettings;
import io.heartwheel.auth.http.CacheSettings;
import io.heartwheel.auth.http.HttpSettings;
import io.heartwheel.auth.http.OnOutage;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpRulesTest {
    private static final String KEY = "heartwheel.auth.http.";

    @TempDir
    Path directory;

    private final ConfigMistakes mistakes = new ConfigMistakes();

    private Block block(String text) {
        FlatConfig flat = new FlatConfig(ConfigLoader.defaults().getObject("heartwheel"), mistakes);
        flat.addFile(ConfigFactory.parseString("heartwheel.auth.http { " + text + " }")
                .root());
        return Block.checked(flat, mistakes).in("auth").in("http");
    }

    private List<String> problems(String text) {
        HttpRules.check(block(text));
        return assertThrows(ConfigException.class, mistakes::throwIfAny).problems().stream()
                .map(problem -> problem.replaceFirst(" \\([^()]*\\)$", ""))
                .toList();
    }

    @Test
    void block_withAUrlAlone_hasTheDefaults() throws Exception {
        Block http = block("url = \"https://h/auth?key=hidden\"");
        HttpRules.check(http);
        mistakes.throwIfAny();
        HttpSettings settings = HttpRules.read(http);
        assertEquals(
                new HttpSettings(
                        URI.create("https://h/auth?key=hidden"),
                        null,
                        null,
                        Duration.ofSeconds(2),
                        16,
                        new CacheSettings(true, 65_536, Duration.ofMinutes(5), Duration.ofSeconds(5)),
                        new BreakerSettings(
                                5, 0.5, 20, Duration.ofSeconds(10), Duration.ofSeconds(1), Duration.ofSeconds(30)),
                        OnOutage.LATER,
                        Duration.ofHours(1),
                        Duration.ofMinutes(15)),
                settings);
        assertFalse(settings.toString().contains("hidden"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://127.0.0.1:80/", "http://127.9.9.9/", "http://[::1]:8080/a", "http://localhost/"})
    void plainHttp_toLoopback_isGood(String url) throws Exception {
        HttpRules.check(block("url = \"" + url + "\""));
        mistakes.throwIfAny();
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://10.0.0.1/", "http://example.com/", "http://localhost.example/", "http://[::2]/"})
    void plainHttp_toAnythingElse_hasToBeAllowed(String url) throws Exception {
        assertEquals(
                List.of(KEY + "url: need https, a loopback address, or allow-plain-http = true: tokens are sent"),
                problems("url = \"" + url + "\""));
    }

    @Test
    void plainHttp_allowed_isGood() throws Exception {
        HttpRules.check(block("url = \"http://example.com/\", allow-plain-http = true"));
        mistakes.throwIfAny();
    }

    @Test
    void mistakes_all_areToldAtOnce() throws Exception {
        Path file = Files.writeString(directory.resolve("short"), "short\n");
        List<String> problems = problems("secret-file = \"" + file + "\", on-outage = cached, cache.enabled = false,"
                + " breaker { backoff = 1m, max-backoff = 2s }");
        assertEquals(4, problems.size(), problems::toString);
        assertTrue(problems.contains(KEY + "url: need a URL with the method http"), problems::toString);
        assertTrue(
                problems.contains(KEY + "secret-file = " + file + ": need a first line of 16..1024 visible characters"),
                problems::toString);
        assertTrue(
                problems.contains(KEY + "on-outage = cached: need cache.enabled = true with cached"),
                problems::toString);
        assertTrue(problems.contains(KEY + "breaker.backoff = 1m: need at most max-backoff = 2s"), problems::toString);
    }

    @ParameterizedTest
    @CsvSource({
        "http, 'need a url of https with it, or no file'",
        "https, need certificates in PEM: there is no CERTIFICATE block in it"
    })
    void caFile_withPlainHttpOrWithoutACertificate_isAMistake(String scheme, String need) throws Exception {
        Path file = Files.writeString(directory.resolve("ca"), "");
        assertEquals(
                List.of(KEY + "ca-file = " + file + ": " + need),
                problems("url = \"" + scheme + "://127.0.0.1/\", ca-file = \"" + file + "\""));
    }
}
