package io.heartwheel.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigValue;
import io.heartwheel.auth.certificate.CertificateSettings;
import io.heartwheel.auth.tokens.TokensSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The blocks of the methods tokens and certificate. */
class MethodRulesTest {
    @TempDir
    private Path directory;

    /** The defaults, and what is said over them. */
    private static Block root(String said) {
        Map<String, ConfigValue> values = new TreeMap<>();
        ConfigFactory.parseString("heartwheel {" + said + "}")
                .withFallback(ConfigLoader.defaults())
                .getConfig("heartwheel")
                .entrySet()
                .forEach(entry -> values.put(entry.getKey(), entry.getValue()));
        return new Block(values);
    }

    @Test
    void tokens_file_isTaken() {
        Block root = root("auth.tokens.file = /etc/tokens");
        assertEquals(new TokensSettings(Path.of("/etc/tokens")), TokensRules.read(root.in("auth.tokens")));
    }

    @Test
    void certificate_nothingSaid_isTheFirstSanOfHosts() {
        CertificateSettings settings = CertificateRules.read(root("").in("auth.certificate"), root(""));
        assertEquals(CertificateSettings.From.SAN_DNS, settings.from());
        assertEquals("", settings.pattern());
        assertNull(settings.crlFile());
        assertEquals(List.of(), settings.authorities());
    }

    @Test
    void certificate_everything_isTakenWithTheAuthoritiesOfListenersThatAsk() throws Exception {
        Path pem = Files.writeString(directory.resolve("ca.pem"), "");
        Block root = root("auth.certificate { from = cn, pattern = \"device-(.*)\", crl-file = /etc/crl }\n"
                + "listeners.tcp.tls { enabled = true, client-auth = required, client-ca-file = \"" + pem + "\" }\n"
                + "listeners.websocket.tls { enabled = true, client-auth = none, client-ca-file = /other }");
        assertEquals(
                new CertificateSettings(CertificateSettings.From.CN, "device-(.*)", Path.of("/etc/crl"), List.of(pem)),
                CertificateRules.read(root.in("auth.certificate"), root));
    }

    @Test
    void certificate_words_areChecked() {
        List<String> problems = assertThrows(
                        ConfigException.class,
                        () -> Loading.load(
                                null,
                                Map.of(
                                        "heartwheel.auth.certificate.from", "san",
                                        "heartwheel.auth.certificate.pattern", "(a)(b)"),
                                Map.of()))
                .problems();
        assertEquals(
                List.of(
                        "heartwheel.auth.certificate.from = san: need san-dns, san-uri, san-email or cn (-Dheartwheel.auth.certificate.from)",
                        "heartwheel.auth.certificate.pattern = (a)(b): " + CertificateSettings.PATTERN_NEED
                                + " (-Dheartwheel.auth.certificate.pattern)"),
                problems);
    }
}
