package io.heartwheel.auth.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.heartwheel.auth.AuthRequest;
import io.heartwheel.auth.AuthResult;
import io.heartwheel.auth.Grant;
import io.heartwheel.auth.Grants;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** The examples of the document are what is sent and what is understood. */
class HttpDocumentTest {
    private static final long BEFORE = Instant.parse("2025-12-31T00:00:00Z").toEpochMilli();
    private static final ObjectMapper JSON = new ObjectMapper();

    private static List<String> examples() throws IOException {
        try (Stream<Path> documents = Files.list(Path.of("docs"))) {
            for (Path each : documents
                    .filter(path -> path.toString().endsWith(".md"))
                    .sorted()
                    .toList()) {
                String text = Files.readString(each);
                if (text.contains("## http: a service of yours is asked")) {
                    String chapter = text.substring(text.indexOf("## http: a service of yours is asked"));
                    return Pattern.compile("(?s)```json\n(.*?)```")
                            .matcher(chapter)
                            .results()
                            .map((MatchResult found) -> found.group(1))
                            .toList();
                }
            }
        }
        throw new AssertionError("no chapter on the method http");
    }

    private static JsonNode sent(List<X509Certificate> certificates) throws IOException {
        return JSON.readTree(HookRequest.encode(new AuthRequest(
                "sensor/42".getBytes(StandardCharsets.UTF_8),
                "s3cr3t-of-the-device".getBytes(StandardCharsets.UTF_8),
                new byte[] {10, 0, 0, 7},
                "tcp",
                "heartwheel.v1",
                "firmware 4.2",
                60_000,
                certificates,
                false,
                0)));
    }

    private static X509Certificate certificate() throws Exception {
        try (InputStream pem = HttpDocumentTest.class.getResourceAsStream("/io/heartwheel/transport/tls/rsa.pem")) {
            return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(pem);
        }
    }

    private static List<String> names(JsonNode object) {
        return StreamSupport.stream(((Iterable<String>) object::fieldNames).spliterator(), false)
                .toList();
    }

    @Test
    void request_ofTheDocument_isWhatIsSent() throws Exception {
        ObjectNode example = (ObjectNode) JSON.readTree(examples().get(0));
        JsonNode sent = sent(List.of(certificate()));
        assertEquals(names(example), names(sent));
        assertEquals(names(example.get("certificate")), names(sent.get("certificate")));
        assertEquals(example.putNull("certificate"), sent(List.of()));
    }

    @Test
    void certificate_isDescribed() throws Exception {
        X509Certificate own = certificate();
        JsonNode sent = sent(List.of(own)).get("certificate");
        assertEquals(
                own.getSubjectX500Principal().getName(), sent.get("subject").asText());
        assertTrue(sent.get("sha256").asText().matches("[0-9a-f]{64}"));
        assertEquals(own.getNotAfter().getTime() / 1_000, sent.get("not_after").asLong());
        assertTrue(sent.get("san").isArray());
        sent.get("san").forEach(name -> assertTrue(name.asText().matches("(DNS|URI|email|IP):.+"), name.toString()));
    }

    @Test
    void answer_ofTheDocument_isUnderstood() throws Exception {
        byte[] body = examples().get(1).getBytes(StandardCharsets.UTF_8);
        HookOutcome.Decided decided =
                assertInstanceOf(HookOutcome.Decided.class, HookReply.read(200, "", body, BEFORE, new Grants()));
        assertEquals(60, decided.cacheSeconds());
        assertEquals(
                new AuthResult.Admitted(
                        new Grant(30_000, 300_000, "slow", List.of("berlin", "meters"), Map.of("tenant", "acme")),
                        Instant.parse("2026-01-01T12:00:00Z").toEpochMilli()),
                decided.result());
    }
}
