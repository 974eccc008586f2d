package io.heartwheel.transport.tls;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.transport.tls.TlsSettings.ClientAuth;
import io.heartwheel.transport.tls.TlsSettings.Provider;
import io.heartwheel.transport.tls.TlsSettings.Version;
import io.netty.handler.ssl.ReferenceCountedOpenSslEngine;
import io.netty.internal.tcnative.SSL;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A device's view of TLS: certificates by name, versions, tickets, staples, ALPN, certificates of its own. */
class TlsListenerTest {
    private static final CertificateFiles EC = Fixtures.certificate("ec");
    private static final TlsSettings PLAIN = Fixtures.settings(Provider.BORINGSSL, EC);

    @TempDir
    private Path directory;

    private final List<TlsListeners> opened = new ArrayList<>();
    private long wallMillis = System.currentTimeMillis();

    @AfterEach
    void close() {
        opened.forEach(TlsListeners::close);
    }

    @ParameterizedTest
    @CsvSource({
        "BORINGSSL,a.example,CN=ec",
        "BORINGSSL,x.b.example,CN=ec",
        "BORINGSSL,RSA.example,CN=rsa",
        "BORINGSSL,nobody.example,CN=rsa",
        "BORINGSSL,'',CN=rsa",
        "JDK,a.example,CN=ec",
        "JDK,nobody.example,CN=rsa",
        "JDK,'',CN=rsa"
    })
    void certificate_byHost_isTheOneForIt(Provider provider, String host, String shown) throws Exception {
        for (Version version : Version.values()) {
            TlsListener listener =
                    open(Fixtures.settings(provider, Fixtures.certificate("rsa"), Fixtures.sni(1, "ec")));
            try (Handshake hands = Handshake.with(listener, host, version.javaName())) {
                hands.run().exchange();
                assertEquals(shown, hands.shown());
                assertEquals(version.javaName(), hands.client().getSession().getProtocol());
            }
        }
    }

    @Test
    void certificate_hostsNamedByTheOperator_beatThoseItNames() throws Exception {
        TlsListener listener = open(Fixtures.settings(
                Provider.BORINGSSL, Fixtures.certificate("rsa"), Fixtures.sni(1, "ec", "mine.example")));
        for (String[] row : new String[][] {{"mine.example", "CN=ec"}, {"a.example", "CN=rsa"}}) {
            try (Handshake hands = Handshake.with(listener, row[0])) {
                assertEquals(row[1], hands.run().shown());
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"BORINGSSL,ec", "BORINGSSL,rsa", "JDK,ec", "JDK,rsa"})
    void version_older_isRefused(Provider provider, String certificate) throws Exception {
        TlsListener listener =
                open(Fixtures.settings(provider, Version.V1_3, List.of(), Fixtures.certificate(certificate)));
        try (Handshake hands = Handshake.with(listener, "", "TLSv1.3")) {
            hands.run().exchange();
        }
        try (Handshake hands = Handshake.with(listener, "", "TLSv1.2")) {
            assertThrows(SSLException.class, hands::run);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"BORINGSSL", "JDK"})
    void cipher_onlyThoseOfOldDevices_isRefusedUnlessNamed(Provider provider) throws Exception {
        String old = "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA";
        for (List<String> named : List.of(List.<String>of(), List.of(old))) {
            TlsListener listener = open(Fixtures.settings(provider, Version.V1_2, named, EC));
            SSLEngine client = Handshake.engine(Handshake.client(null), "", "TLSv1.2");
            client.setEnabledCipherSuites(new String[] {old});
            try (Handshake hands = new Handshake(client, listener)) {
                if (named.isEmpty()) {
                    assertThrows(SSLException.class, hands::run);
                } else {
                    hands.run().exchange();
                }
            }
        }
    }

    @Test
    void cipher_noneForTheKey_isRefusedAtOnce() {
        List<String> ciphers = List.of("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256");
        TlsSettings settings = Fixtures.settings(Provider.AUTO, Version.V1_2, ciphers, EC);
        String said = assertThrows(IOException.class, () -> open(settings)).getMessage();
        assertTrue(said.contains("listeners.l.tls.ciphers = " + ciphers + ": need one for the EC key"), said);
    }

    @ParameterizedTest
    @CsvSource({
        "BORINGSSL,http/1.1,http/1.1",
        "BORINGSSL,mqtt,''",
        "BORINGSSL,h2 http/1.1,http/1.1",
        "BORINGSSL,'',''",
        "JDK,mqtt http/1.1,http/1.1",
        "JDK,mqtt,''"
    })
    void alpn_offered_isAnsweredWithHttpOrNotAtAll(Provider provider, String offered, String answered)
            throws Exception {
        TlsListener listener = open(Fixtures.settings(provider, EC));
        SSLEngine client = Handshake.engine(Handshake.client(null), "");
        SSLParameters parameters = client.getSSLParameters();
        parameters.setApplicationProtocols(offered.isEmpty() ? new String[0] : offered.split(" "));
        client.setSSLParameters(parameters);
        try (Handshake hands = new Handshake(client, listener)) {
            hands.run().exchange();
            assertEquals(answered, client.getApplicationProtocol());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "BORINGSSL,REQUIRED,ec,true",
        "BORINGSSL,REQUIRED,,false",
        "BORINGSSL,REQUIRED,stranger,false",
        "BORINGSSL,OPTIONAL,stranger,false",
        "BORINGSSL,OPTIONAL,ec,true",
        "BORINGSSL,OPTIONAL,,true",
        "JDK,REQUIRED,ec,true",
        "JDK,REQUIRED,,false",
        "JDK,OPTIONAL,,true",
        "JDK,OPTIONAL,stranger,false"
    })
    void clientCertificate_asAsked_isLetInOrNot(Provider provider, ClientAuth asked, String shown, boolean in)
            throws Exception {
        TlsListener listener = open(mutual(provider, asked));
        try (Handshake hands = new Handshake(Handshake.engine(Handshake.client(shown), ""), listener)) {
            if (in) {
                hands.run().exchange();
            } else {
                assertThrows(SSLException.class, () -> hands.run().exchange());
            }
        }
    }

    // ------------------------------------------------------------------ resumption

    @ParameterizedTest
    @EnumSource(Version.class)
    void ticket_ofOneProcess_isTakenByAnotherWithTheSameKeys(Version version) throws Exception {
        Path keys = directory.resolve("keys");
        SSLContext device = Handshake.client(null);
        assertFalse(isResumed(device, version, open(PLAIN, keys)));

        assertTrue(isResumed(device, version, open(PLAIN, keys)));
        assertFalse(isResumed(device, version, open(PLAIN, directory.resolve("other"))));
    }

    @Test
    void ticket_afterRotation_isTakenUntilItsKeyIsGone() throws Exception {
        TlsListeners listeners = listeners(directory.resolve("keys"), true);
        TlsListener listener = listeners.open("l", true, PLAIN);
        SSLContext device = Handshake.client(null);
        assertFalse(isResumed(device, Version.V1_2, listener));

        for (int hour = 1; hour <= 2; hour++) {
            wallMillis += Duration.ofHours(1).toMillis();
            listeners.upkeep();
            assertTrue(isResumed(device, Version.V1_2, listener), "after " + hour);
        }
        for (int hour = 1; hour <= 6; hour++) {
            wallMillis += Duration.ofHours(1).toMillis();
            listeners.upkeep();
        }
        assertFalse(isResumed(device, Version.V1_2, listener));
    }

    @Test
    void tickets_off_everyHandshakeIsFull() throws Exception {
        for (Version version : Version.values()) {
            TlsListener listener = listeners(null, false).open("l", true, PLAIN);
            SSLContext device = Handshake.client(null);
            assertFalse(isResumed(device, version, listener));
            assertFalse(isResumed(device, version, listener));
        }
    }

    /** Else a device without a certificate could fetch its ticket where none is asked for, and show it where one is. */
    @ParameterizedTest
    @EnumSource(Version.class)
    void ticket_ofAListenerThatAsksForNoCertificate_opensNoneThatDoes(Version version) throws Exception {
        Path keys = directory.resolve("keys");
        TlsListener open = open(PLAIN, keys);
        TlsListener closed = open(mutual(Provider.BORINGSSL, ClientAuth.REQUIRED), keys);
        SSLContext device = Handshake.client(null);
        assertFalse(isResumed(device, version, open));
        assertTrue(isResumed(device, version, open));

        assertThrows(SSLException.class, () -> isResumed(device, version, closed));
    }

    @Test
    void ticket_ofAListenerThatAsks_isGoodThereAgain() throws Exception {
        Path keys = directory.resolve("keys");
        SSLContext device = Handshake.client("ec");
        assertFalse(isResumed(device, Version.V1_3, open(mutual(Provider.BORINGSSL, ClientAuth.REQUIRED), keys)));
        assertTrue(isResumed(device, Version.V1_3, open(mutual(Provider.BORINGSSL, ClientAuth.REQUIRED), keys)));
    }

    private static boolean isResumed(SSLContext device, Version version, TlsListener listener) throws Exception {
        try (Handshake hands = new Handshake(Handshake.engine(device, "", version.javaName()), listener)) {
            hands.run().exchange();
            return SSL.isSessionReused(((ReferenceCountedOpenSslEngine) hands.server()).sslPointer());
        }
    }

    // ------------------------------------------------------------------ staples

    @ParameterizedTest
    @EnumSource(Version.class)
    void staple_whileItHolds_isShown(Version version) throws Exception {
        TlsListener listener = open(stapled(Fixtures.file("ec-good.ocsp")));
        assertStapled(listener, version, true);

        wallMillis = OcspStaple.of(Fixtures.bytes("ec-good.ocsp"), java.math.BigInteger.valueOf(0xec01))
                .nextUpdateMillis();
        assertStapled(listener, version, false);
    }

    @Test
    void staple_thatWillNotDo_leavesTheCertificateGood() throws Exception {
        for (String bad : List.of("ec-revoked.ocsp", "ec-endless.ocsp", "no-such-file")) {
            Path file = bad.equals("no-such-file") ? directory.resolve(bad) : Fixtures.file(bad);
            TlsListener listener = open(stapled(file));
            assertStapled(listener, Version.V1_3, false);
            assertFalse(
                    Credential.notices("l", listener.credentials(), wallMillis).isEmpty());
        }
    }

    private static void assertStapled(TlsListener listener, Version version, boolean expected) throws Exception {
        try (Handshake hands = Handshake.with(listener, "", version.javaName())) {
            hands.run().exchange();
            List<byte[]> came = hands.stapled();
            assertEquals(expected ? 1 : 0, came.size());
            if (expected) {
                assertArrayEquals(Fixtures.bytes("ec-good.ocsp"), came.get(0));
            }
        }
    }

    private static TlsSettings stapled(Path staple) {
        CertificateFiles files = new CertificateFiles("default", EC.certificateFile(), EC.keyFile(), staple, List.of());
        return Fixtures.settings(Provider.BORINGSSL, files);
    }

    // ------------------------------------------------------------------

    private static TlsSettings mutual(Provider provider, ClientAuth asked) {
        return new TlsSettings(provider, List.of(EC), Version.V1_2, List.of(), asked, Fixtures.file("ca.pem"));
    }

    private TlsListener open(TlsSettings settings) throws IOException {
        return open(settings, null);
    }

    private TlsListener open(TlsSettings settings, Path ticketKeys) throws IOException {
        return listeners(ticketKeys, true).open("l", true, settings);
    }

    private TlsListeners listeners(Path ticketKeys, boolean tickets) {
        TlsUpkeepSettings upkeep = new TlsUpkeepSettings(
                new TlsUpkeepSettings.Tickets(tickets, ticketKeys, Duration.ofHours(1)),
                TlsUpkeepSettings.DEFAULTS.watch());
        TlsListeners listeners = new TlsListeners(
                upkeep, Runnable::run, () -> TimeUnit.MILLISECONDS.toNanos(wallMillis), () -> wallMillis);
        opened.add(listeners);
        return listeners;
    }
}
