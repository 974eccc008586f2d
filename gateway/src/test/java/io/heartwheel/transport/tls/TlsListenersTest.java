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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Certificates that change under connections. */
class TlsListenersTest {
    private static final long PERIOD = Duration.ofSeconds(10).toMillis();

    @TempDir
    private Path directory;

    private final List<Runnable> afterEveryLoop = new ArrayList<>();
    private long nowNanos = Long.MAX_VALUE - 1_000_000_000L;
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
        TlsUpkeepSettings upkeep = new TlsUpkeepSettings(
                TlsUpkeepSettings.DEFAULTS.tickets(), new TlsUpkeepSettings.Watch(true, Duration.ofMillis(PERIOD)));
        listeners = new TlsListeners(upkeep, afterEveryLoop::add, () -> nowNanos, () -> wallMillis);
        listener = listeners.open("l", true, settings);
        look();
    }

    @AfterEach
    void close() {
        listeners.close();
        afterEveryLoop.forEach(Runnable::run);
    }

    @Test
    void upkeep_wallClockSetBackByADay_looksAtFilesAndRotatesTicketsAsSoon() throws Exception {
        long rotationMillis = TlsUpkeepSettings.DEFAULTS.tickets().rotation().toMillis();
        wallMillis -= TimeUnit.DAYS.toMillis(1);
        put("rsa.pem", "cert");
        put("rsa.key", "key");
        look(2);
        assertEquals("CN=rsa", shown());

        look((int) ((rotationMillis - listeners.ticketKeyAgeMillis()) / PERIOD) - 1);
        long ageMillis = listeners.ticketKeyAgeMillis();
        assertTrue(ageMillis > rotationMillis - 3 * PERIOD, () -> "the key that is old: " + ageMillis);
        look(3);
        assertTrue(listeners.ticketKeyAgeMillis() <= 3 * PERIOD, () -> "" + listeners.ticketKeyAgeMillis());
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
        look(5);
        assertEquals(1, listeners.reloadsRefused());
        Files.writeString(directory.resolve("cert"), "nonsense");
        look(5);
        assertEquals(2, listeners.reloadsRefused());
        Files.delete(directory.resolve("cert"));
        look(3);
        assertEquals(3, listeners.reloadsRefused());
        assertEquals("CN=ec", shown());
        put("ec.pem", "cert");
        look(2);
        assertEquals(0, listeners.reloadsTaken());
        put("rsa.pem", "cert");
        look(2);
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
        try (Handshake before = Handshake.with(listener, "")) {
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
        TlsSettings stricter = Fixtures.settings(
                Provider.BORINGSSL,
                TlsSettings.Version.V1_3,
                List.of(),
                Fixtures.files(directory.resolve("cert"), directory.resolve("key")));
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
        assertTrue(listeners.ticketKeyAgeMillis() >= 0);
    }

    @Test
    void notices_ofACertificate_comeBeforeItsEnd() {
        List<Credential> all = listener.credentials();
        long end = all.get(0).notAfterMillis();

        assertEquals(List.of(), Credential.notices("l", all, end - Credential.AHEAD_MILLIS - 1));
        Map<Long, String> told =
                Map.of(end - Credential.AHEAD_MILLIS, " expires on ", end, " expired on ", 0L, " is not valid before ");
        told.forEach(
                (at, what) -> assertTrue(Credential.notices("l", all, at).get(0).contains(what), what));
    }

    /** As while a file is read from a mount that hangs. */
    @Test
    @Timeout(30)
    void close_upkeepHangs_doesNotWaitForIt() throws Exception {
        CountDownLatch hangs = new CountDownLatch(1);
        CompletableFuture<Void> end = new CompletableFuture<>();
        listeners.open("m", "listeners.m", true, settings, task -> {
            hangs.countDown();
            end.join();
            task.run();
        });
        put("rsa.pem", "cert");
        put("rsa.key", "key");
        Thread upkeep = new Thread(() -> look(2));
        upkeep.start();
        hangs.await();

        listeners.close();
        end.complete(null);
        upkeep.join();
    }

    private void put(String fixture, String name) throws Exception {
        Files.copy(Fixtures.file(fixture), directory.resolve(name), StandardCopyOption.REPLACE_EXISTING);
    }

    private void look() {
        look(1);
    }

    private void look(int times) {
        for (int i = 0; i < times; i++) {
            nowNanos += TimeUnit.MILLISECONDS.toNanos(PERIOD);
            wallMillis += PERIOD;
            listeners.upkeep();
        }
    }

    private String shown() throws Exception {
        try (Handshake hands = Handshake.with(listener, "")) {
            return hands.run().shown();
        }
    }
}
