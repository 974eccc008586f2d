package io.heartwheel.transport.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.transport.tls.TlsSettings.Provider;
import io.netty.util.ReferenceCounted;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Certificates that change under connections. */
class TlsListenersTest {
    private static final long PERIOD = Duration.ofSeconds(10).toMillis();

    @TempDir
    private Path directory;

    private final List<Runnable> afterEveryLoop = new ArrayList<>();
    private long wallMillis = System.currentTimeMillis();
    private TlsListeners listeners;
    private TlsListener listener;
    private TlsSettings settings;

    @BeforeEach
    void open() throws Exception {
        put("ec.pem", "cert");
        put("ec.key", "key");
        settings = Fixtures.settings(
                Provider.BORINGSSL, Fixtures.files(directory.resolve("cert"), directory.resolve("key")));
        listeners = new TlsListeners(
                new TlsUpkeepSettings(
                        TlsUpkeepSettings.DEFAULTS.tickets(),
                        new TlsUpkeepSettings.Watch(true, Duration.ofMillis(PERIOD))),
                afterEveryLoop::add,
                () -> wallMillis);
        listener = listeners.open("l", true, settings);
        look();
    }

    @AfterEach
    void close() {
        listeners.close();
        afterEveryLoop.forEach(Runnable::run);
    }

    @Test
    void files_changed_areTakenWhenTwoLooksSawTheSame() throws Exception {
        put("rsa.pem", "cert");
        put("rsa.key", "key");
        look();
        assertEquals("CN=ec", shown());

        look();
        assertEquals("CN=rsa", shown());
        assertEquals(1, listeners.reloadsTaken());
    }

    @Test
    void files_writtenOneAfterTheOther_areTakenOnceBothAreThere() throws Exception {
        put("rsa.pem", "cert");
        look();
        put("rsa.key", "key");
        look();
        assertEquals(0, listeners.reloadsRefused());

        look();
        assertEquals("CN=rsa", shown());
        assertEquals(0, listeners.reloadsRefused());
    }

    @Test
    void files_bad_areRefusedOnceAndTheOldStay() throws Exception {
        put("rsa.pem", "cert");
        for (int i = 0; i < 5; i++) {
            look();
        }
        assertEquals("CN=ec", shown());
        assertEquals(1, listeners.reloadsRefused());

        Files.writeString(directory.resolve("cert"), "nonsense");
        for (int i = 0; i < 5; i++) {
            look();
        }
        assertEquals("CN=ec", shown());
        assertEquals(2, listeners.reloadsRefused());

        Files.delete(directory.resolve("cert"));
        look();
        look();
        look();
        assertEquals(3, listeners.reloadsRefused());

        put("ec.pem", "cert");
        look();
        look();
        assertEquals(0, listeners.reloadsTaken());

        put("rsa.pem", "cert");
        look();
        look();
        assertEquals(4, listeners.reloadsRefused());
    }

    @Test
    void files_touchedOnly_changeNothing() throws Exception {
        put("ec.pem", "cert");
        look();
        look();

        assertEquals(0, listeners.reloadsTaken());
    }

    @Test
    void reload_goodFiles_areTakenAtOnceAndOpenConnectionsLiveOn() throws Exception {
        try (Handshake before = new Handshake(Handshake.engine(Handshake.client(null), ""), listener)) {
            before.run().exchange();
            put("rsa.pem", "cert");
            put("rsa.key", "key");
            assertEquals(List.of(), listeners.reload(Map.of("l", settings)));

            assertEquals("CN=rsa", shown());
            before.exchange();
            assertEquals(1, afterEveryLoop.size());
            afterEveryLoop.remove(0).run();
            before.exchange();
            assertTrue(((ReferenceCounted) before.server()).refCnt() > 0);
        }
    }

    @Test
    void reload_oneOfTwoBad_takesNeither() throws Exception {
        TlsSettings other = Fixtures.settings(Provider.BORINGSSL, Fixtures.certificate("rsa"));
        listeners.open("other", false, other);
        put("rsa.pem", "cert");
        put("rsa.key", "key");
        TlsSettings bad = Fixtures.settings(
                Provider.BORINGSSL, Fixtures.files(Fixtures.file("rsa.pem"), Fixtures.file("ec.key")));

        List<String> problems = listeners.reload(Map.of("l", settings, "other", bad));
        assertEquals(1, problems.size(), problems::toString);
        assertTrue(problems.get(0).startsWith("listeners.other.tls.key-file = "), problems::toString);
        assertEquals("CN=ec", shown());
        assertEquals(1, listeners.reloadsRefused());
        assertEquals(0, listeners.reloadsTaken());
    }

    @Test
    void reload_nothingNew_changesNothing() {
        assertEquals(List.of(), listeners.reload(Map.of("l", settings)));

        assertEquals(0, listeners.reloadsTaken());
        assertTrue(afterEveryLoop.isEmpty());
    }

    @Test
    void reload_otherSettings_areTaken() throws Exception {
        TlsSettings stricter = new TlsSettings(
                Provider.BORINGSSL,
                settings.certificates(),
                TlsSettings.Version.V1_3,
                List.of(),
                TlsSettings.ClientAuth.NONE,
                null);
        assertEquals(List.of(), listeners.reload(Map.of("l", stricter)));

        assertEquals(1, listeners.reloadsTaken());
        assertEquals(TlsSettings.Version.V1_3, listener.settings().oldest());
    }

    @Test
    void certificates_figures_tellTheirEnds() {
        CertificateStatus status = listeners.certificates().get(0);

        assertEquals("l", status.listener());
        assertEquals("default", status.certificate());
        assertEquals(listener.credentials().get(0).notAfterMillis(), status.notAfterMillis());
        assertTrue(listeners.ticketKeySinceMillis() > 0);
    }

    @Test
    void notices_ofACertificate_comeBeforeItsEnd() {
        List<Credential> all = listener.credentials();
        long end = all.get(0).notAfterMillis();

        assertEquals(List.of(), Credential.notices("l", all, end - Credential.AHEAD_MILLIS - 1));
        assertTrue(Credential.notices("l", all, end - Credential.AHEAD_MILLIS)
                .get(0)
                .contains(" expires on "));
        assertTrue(Credential.notices("l", all, end).get(0).contains(" expired on "));
        assertTrue(Credential.notices("l", all, 0).get(0).contains(" is not valid before "));
    }

    private void put(String fixture, String name) throws Exception {
        Files.copy(Fixtures.file(fixture), directory.resolve(name), StandardCopyOption.REPLACE_EXISTING);
    }

    private void look() {
        wallMillis += PERIOD;
        listeners.upkeep();
    }

    private String shown() throws Exception {
        try (Handshake hands = new Handshake(Handshake.engine(Handshake.client(null), ""), listener)) {
            return hands.run().shown();
        }
    }
}
