package io.heartwheel.loadgen.credential;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.client.Credential;
import io.heartwheel.loadgen.client.Credentials.Habit;
import io.heartwheel.loadgen.client.Identity;
import io.heartwheel.loadgen.scenario.Scenario;
import io.heartwheel.loadgen.scenario.ScenarioReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.SignatureException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Both ends of a run's credentials, each without the other: what devices show, and what a gateway is given to check it. */
final class DeviceCredentialsTest {

    private static final long SECOND = 1_000_000_000L;
    private static final long WALL_MILLIS = 1_700_000_000_250L;

    @TempDir
    private Path directory;

    private Scenario scenario(String auth) {
        String tls = auth.contains("certificate") ? "+tls" : "";
        return ScenarioReader.read(
                "seed = 3, clients = 100, duration = 60s, id-prefix = d-\n" + "targets = [{ protocol = \"tcp" + tls
                        + "\", address = \"127.0.0.1:1\" }]\nauth { directory = \"" + directory + "\", " + auth + " }",
                "test");
    }

    private static DeviceCredentials of(Scenario scenario) {
        return new DeviceCredentials(scenario, scenario.auth(), () -> WALL_MILLIS);
    }

    @Test
    void made_jwt_expiresAtAWholeSecondAfterItsLifetime() {
        Credential made = of(scenario("kind = jwt, jwt.lifetime = 20s")).made(4, 7 * SECOND);
        assertEquals(7 * SECOND + 20 * SECOND + 750_000_000L, made.expiresNanos());
        String claims =
                new String(Base64.getUrlDecoder().decode(made.token().split("\\.", -1)[1]), StandardCharsets.US_ASCII);
        assertTrue(claims.contains("\"sub\":\"d-4\"") && claims.contains("\"exp\":1700000021"), claims);
    }

    @Test
    void made_preparedTokensThatLiveLong_areKeptUntilTheKeyChanges() {
        DeviceCredentials credentials = of(scenario("kind = jwt, jwt.lifetime = 1h, service.rotate-every = 10s"));
        credentials.prepare(10, 5, 0);
        Credential first = credentials.made(12, SECOND);
        assertSame(first, credentials.made(12, 2 * SECOND));
        credentials.observeFrom(5 * SECOND);
        assertSame(first, credentials.made(12, 15 * SECOND));
        assertNotEquals(first.token(), credentials.made(12, 16 * SECOND).token());
    }

    @Test
    void habit_byWeight_isThatShareOfTheDevices() {
        DeviceCredentials credentials = of(scenario("kind = jwt, devices { renew = 3, wrong = 1 }"));
        int wrong = 0;
        for (int index = 0; index < 4_000; index++) {
            wrong += credentials.habit(index) == Habit.WRONG ? 1 : 0;
        }
        assertTrue(wrong > 850 && wrong < 1_150, "wrong: " + wrong);
    }

    @Test
    void tokens_lineOfADevice_isTheSaltedHashOfItsToken() throws Exception {
        Scenario scenario = scenario("kind = tokens");
        try (GatewayAuth auth = GatewayAuth.begin(scenario, System::nanoTime)) {
            assertTrue(auth.settings().contains("  auth.methods = [tokens]"), () -> auth.settings()
                    .toString());
        }
        List<String> lines = Files.readAllLines(directory.resolve("tokens"));
        assertEquals(100, lines.size());
        String[] parts = lines.get(42).split("[ :]", -1);
        assertEquals(List.of("d-42", "sha256"), List.of(parts).subList(0, 2));
        MessageDigest sha = MessageDigest.getInstance("SHA-256");
        sha.update(HexFormat.of().parseHex(parts[2]));
        byte[] digest = sha.digest(of(scenario).made(42, 0).token().getBytes(StandardCharsets.US_ASCII));
        assertEquals(parts[3], HexFormat.of().formatHex(digest));
    }

    @Test
    void certificate_ofADevice_isSignedByTheIssuerThatIsWritten() throws Exception {
        GatewayAuth.begin(scenario("kind = certificate"), System::nanoTime).close();
        X509Certificate issuer;
        try (var in = Files.newInputStream(directory.resolve("issuer.pem"))) {
            issuer = (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
        }
        issuer.verify(issuer.getPublicKey());
        issuer.checkValidity();
        assertTrue(issuer.getBasicConstraints() >= 0);
        DeviceCertificates certificates = new DeviceCertificates(3);
        Identity good = certificates.of("d-7", 7, false);
        good.certificate().verify(issuer.getPublicKey());
        assertEquals("CN=d-7", good.certificate().getSubjectX500Principal().getName());
        assertEquals(-1, good.certificate().getBasicConstraints());
        Identity forged = certificates.of("d-7", 7, true);
        assertThrows(SignatureException.class, () -> forged.certificate().verify(issuer.getPublicKey()));
    }

    @Test
    void keys_overHttp_changeAndGoAwayByPlan() throws Exception {
        AtomicLong now = new AtomicLong();
        String service = "rotate-every = 10s, plan = [{ at = 12s, for = 5s, answer = \"500\" }]";
        try (GatewayAuth auth = GatewayAuth.begin(scenario("kind = jwt, service { " + service + " }"), now::get)) {
            assertEquals(1, keys(auth));
            auth.observe();
            now.set(11 * SECOND);
            assertEquals(2, keys(auth));
            now.set(13 * SECOND);
            assertEquals(500, get(auth, "").statusCode());
            now.set(18 * SECOND);
            assertEquals(200, get(auth, "").statusCode());
        }
    }

    @Test
    void devices_askedForOverHttp_areAdmittedWithTheirOwnToken() throws Exception {
        Scenario scenario = scenario("kind = http, service.plan = [{ at = 10s, for = 5s, answer = never }]");
        DeviceCredentials credentials = of(scenario);
        try (GatewayAuth auth = GatewayAuth.begin(scenario, System::nanoTime)) {
            String asked = "{\"device_id\":\"d-5\",\"token\":\"%s\",\"renewal\":false}";
            assertEquals(
                    204,
                    get(auth, asked.formatted(credentials.made(5, 0).token())).statusCode());
            assertEquals(
                    403,
                    get(auth, asked.formatted(credentials.made(6, 0).token())).statusCode());
            assertEquals(403, get(auth, "nonsense").statusCode());
        }
        assertFalse(credentials.isDisturbed(0, 1_000 * SECOND));
        credentials.observeFrom(100 * SECOND);
        assertFalse(credentials.isDisturbed(100 * SECOND, 109 * SECOND));
        assertTrue(credentials.isDisturbed(109 * SECOND, 111 * SECOND));
        assertFalse(credentials.isDisturbed(126 * SECOND, 127 * SECOND));
    }

    private static HttpResponse<String> get(GatewayAuth auth, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(auth.line().replaceAll(".* at ", "")))
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }

    private static int keys(GatewayAuth auth) throws Exception {
        return get(auth, "").body().split("\"kid\"", -1).length - 1;
    }
}
