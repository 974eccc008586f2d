package io.heartwheel.auth.certificate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.auth.AuthCause;
import io.heartwheel.auth.AuthContext;
import io.heartwheel.auth.AuthRequest;
import io.heartwheel.auth.AuthResult;
import io.heartwheel.auth.Authenticator;
import io.heartwheel.auth.BrokenFile;
import io.heartwheel.auth.Grants;
import io.heartwheel.auth.certificate.CertificateSettings.From;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Ids in certificates, and lists of revoked ones. Certificates and lists are made by {@code make.sh} beside them. */
class CertificateAuthenticatorTest {
    private static final long NOW_MILLIS = Instant.parse("2026-12-01T00:00:00Z").toEpochMilli();

    @TempDir
    private Path directory;

    private long nowMillis = NOW_MILLIS;

    private static Path resource(String name) throws Exception {
        return Path.of(CertificateAuthenticatorTest.class.getResource(name).toURI());
    }

    private static X509Certificate certificate(String name) throws Exception {
        try (InputStream in = Files.newInputStream(resource(name + ".pem"))) {
            return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
        }
    }

    private Authenticator open(From from, String pattern, @Nullable Path crl) throws Exception {
        return open(from, pattern, crl, "ca.pem", "next-ca.pem", "other-ca.pem");
    }

    private Authenticator open(From from, String pattern, @Nullable Path crl, String... authorities) throws Exception {
        List<Path> files = new ArrayList<>();
        for (String each : authorities) {
            files.add(resource(each));
        }
        return new CertificateSettings(from, pattern, crl, files)
                .open(new AuthContext(Runnable::run, new Grants(), () -> 0, () -> nowMillis));
    }

    private static AuthResult ask(Authenticator method, String device, String... chain) throws Exception {
        List<X509Certificate> certificates = new ArrayList<>();
        for (String each : chain) {
            certificates.add(certificate(each));
        }
        List<AuthResult> told = new ArrayList<>();
        method.authenticate(
                new AuthRequest(
                        device.getBytes(StandardCharsets.UTF_8),
                        new byte[0],
                        new byte[4],
                        "tcp",
                        "heartwheel",
                        "",
                        0,
                        certificates,
                        false,
                        0),
                told::add);
        assertEquals(1, told.size());
        return told.get(0);
    }

    private static @Nullable AuthCause cause(AuthResult result) {
        return result instanceof AuthResult.Refused refused ? refused.cause() : null;
    }

    // ------------------------------------------------------------------ names

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SAN_DNS||names|sensor-1.devices.example",
                "SAN_DNS||names|spare-1.devices.example",
                "SAN_DNS|(.*)\\.devices\\.example|names|sensor-1",
                "SAN_DNS|(.*)\\.devices\\.example|names|spare-1",
                "SAN_URI||names|urn:device:sensor-1",
                "SAN_URI|urn:device:(.+)|names|sensor-1",
                "SAN_EMAIL|([^@]+)@.*|names|sensor-1",
                "CN||names|sensor-1",
                "CN||escaped|pump, \"north\"+1 \\/ Größe",
                "CN||multi|sensor-4",
                "CN|sensor-(.)|multi|4",
                "SAN_DNS||long|aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            })
    void authenticate_idInTheCertificate_isAdmittedUntilItExpires(
            From from, @Nullable String pattern, String certificate, String id) throws Exception {
        Authenticator method = open(from, pattern == null ? "" : pattern, null);
        assertEquals(
                new AuthResult.Admitted(
                        null, certificate(certificate).getNotAfter().getTime()),
                ask(method, id, certificate));
        assertEquals(AuthCause.OTHER_DEVICE, cause(ask(method, id + "x", certificate)));
    }

    @ParameterizedTest
    @CsvSource({
        "CN,twice,sensor-5,MALFORMED",
        "CN,multi,sensor-9,OTHER_DEVICE",
        "CN,nameless,sensor-1,OTHER_DEVICE",
        "SAN_DNS,multi,sensor-4,OTHER_DEVICE",
        "SAN_DNS,names,127.0.0.1,OTHER_DEVICE",
        "SAN_DNS,crowd,d1.example,MALFORMED"
    })
    void authenticate_noSingleName_isRefused(From from, String certificate, String id, AuthCause cause)
            throws Exception {
        assertEquals(cause, cause(ask(open(from, "", null), id, certificate)));
    }

    @Test
    void authenticate_noCertificate_isNotMine() throws Exception {
        assertSame(AuthResult.NOT_MINE, ask(open(From.CN, "", null), "sensor-1"));
    }

    @Test
    void authenticate_patternWithoutEnd_isCutOff() throws Exception {
        assertEquals(
                new AuthResult.Refused(AuthCause.MALFORMED, "auth.certificate.pattern takes too many steps"),
                ask(open(From.SAN_DNS, "(a*a*a*a*a*a*)b", null), "a", "long"));
    }

    @Test
    void authenticate_pastItsEnd_isExpired() throws Exception {
        Authenticator method = open(From.CN, "", null);
        long endMillis = certificate("short").getNotAfter().getTime();
        nowMillis = endMillis - 1;
        assertEquals(new AuthResult.Admitted(null, endMillis), ask(method, "sensor-9", "short"));
        nowMillis = endMillis;
        assertEquals(AuthCause.EXPIRED, cause(ask(method, "sensor-9", "short")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "(a)(b)", "(", "(?:a)"})
    void isPattern_notOneGroup_isNone(String pattern) {
        assertThrows(IllegalArgumentException.class, () -> new CertificateSettings(From.CN, pattern, null, List.of()));
    }

    // ------------------------------------------------------------------ lists

    @ParameterizedTest
    @ValueSource(strings = {"revoked.crl", "revoked.der", "part.crl"})
    void authenticate_revoked_isRefused(String list) throws Exception {
        Authenticator method = open(From.CN, "", resource(list));
        assertEquals(
                new AuthResult.Refused(AuthCause.REVOKED, "serial number a02"), ask(method, "sensor-2", "revoked"));
        assertEquals(null, cause(ask(method, "sensor-1", "names")));
        assertEquals(AuthCause.REVOKED, cause(ask(method, "sensor-1", "names", "revoked")), "above it in the chain");
        assertEquals(List.of(), method.refresh());
    }

    @Test
    void authenticate_severalListsInOneFile_allCount() throws Exception {
        Path both = Files.writeString(
                directory.resolve("both"),
                Files.readString(resource("revoked.crl")) + "text between\n" + Files.readString(resource("more.crl")));
        Authenticator method = open(From.CN, "", both);
        assertEquals(AuthCause.REVOKED, cause(ask(method, "sensor-2", "revoked")));
        assertEquals(AuthCause.REVOKED, cause(ask(method, "sensor-1", "names")));
    }

    /** A device of a revoked authority leaves it out of its chain: TLS takes that, as the gateway knows the authority. */
    @ParameterizedTest
    @CsvSource({"of-mid", "of-sub"})
    void authenticate_ofARevokedAuthority_isRefused(String device) throws Exception {
        Authenticator method = open(From.CN, "", resource("no-mid.crl"), "root.pem", "mid.pem", "sub.pem");
        assertEquals(AuthCause.REVOKED, cause(ask(method, "sensor-1", device)));
        assertEquals(AuthCause.REVOKED, cause(ask(method, "sensor-1", device, "sub", "mid")));
    }

    /** The authority goes on under its name with another key, whether devices send its new certificate or the gateway has it. */
    @Test
    void authenticate_ofTheNextKeyOfARevokedAuthority_isAdmitted() throws Exception {
        Authenticator method = open(From.CN, "", resource("no-mid.crl"), "root.pem", "mid.pem");
        assertEquals(null, cause(ask(method, "sensor-1", "of-next-mid", "next-mid")));
        method = open(From.CN, "", resource("no-mid.crl"), "root.pem", "mid.pem", "next-mid.pem");
        assertEquals(null, cause(ask(method, "sensor-1", "of-next-mid")));
        assertEquals(AuthCause.REVOKED, cause(ask(method, "sensor-1", "of-mid")));
    }

    /** BoringSSL takes hundreds, and the JDK's rules pass over those they cannot use. */
    @Test
    void authenticate_chainOfMoreThanTen_isRefused() throws Exception {
        String[] chain = new String[11];
        Arrays.fill(chain, "names");
        assertEquals(AuthCause.MALFORMED, cause(ask(open(From.CN, "", null), "sensor-1", chain)));
        assertEquals(null, cause(ask(open(From.CN, "", null), "sensor-1", Arrays.copyOf(chain, 10))));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "forged.crl|the list of CN=fleet authority is not signed with its key",
                "other.crl|the list of CN=other authority cannot be checked: need the certificate of that issuer, with the right to sign lists, in a client-ca-file",
                "delta.crl|the list of CN=fleet authority is a delta: need a complete list of the issuer's own",
                "indirect.crl|the list of CN=fleet authority is an indirect one: need a complete list of the issuer's own",
                "some.crl|the list of CN=fleet authority is one for some reasons only: need a complete list of the issuer's own",
                "strange.crl|the list of CN=fleet authority is one with a critical extension that is not understood: need a complete list of the issuer's own",
                "ca.pem|need an X509 CRL block, or a list as DER",
                "make.sh|a list in it is broken",
            })
    void open_listThatWillNotDo_isTold(String list, String said) throws Exception {
        Path file = resource(list);
        BrokenFile bad = assertThrows(BrokenFile.class, () -> open(From.CN, "", file));
        assertEquals(List.of("auth.certificate.crl-file = " + file + ": " + said), bad.problems());
    }

    @Test
    void refresh_changedList_isTakenWhenItStandsStillAndABadOneIsNot() throws Exception {
        Path file = directory.resolve("list");
        Files.copy(resource("nobody.crl"), file);
        Authenticator method = open(From.CN, "", file);
        assertEquals(null, cause(ask(method, "sensor-2", "revoked")));

        Files.copy(resource("revoked.crl"), file, StandardCopyOption.REPLACE_EXISTING);
        assertEquals(List.of(), method.refresh());
        assertEquals(List.of(), method.refresh());
        assertEquals(AuthCause.REVOKED, cause(ask(method, "sensor-2", "revoked")));

        Files.copy(resource("forged.crl"), file, StandardCopyOption.REPLACE_EXISTING);
        method.refresh();
        List<String> problems = method.refresh();
        assertTrue(problems.get(0).endsWith("is not signed with its key"), problems::toString);
        assertEquals(problems, method.refresh());
        assertEquals(AuthCause.REVOKED, cause(ask(method, "sensor-2", "revoked")));
        assertEquals(null, cause(ask(method, "sensor-1", "names")));
    }

    /** Whoever stands between can replay a list that the authority has signed. */
    @ParameterizedTest
    @ValueSource(strings = {"", "-part"})
    void refresh_listOlderThanTheOneInUse_isNotTaken(String kind) throws Exception {
        Path file = directory.resolve("list");
        Files.copy(resource("older" + kind + ".crl"), file);
        Authenticator method = open(From.CN, "", file);
        Files.copy(resource("newer" + kind + ".crl"), file, StandardCopyOption.REPLACE_EXISTING);
        assertEquals(List.of(), method.reload());
        assertEquals(AuthCause.REVOKED, cause(ask(method, "sensor-2", "revoked")));

        Files.copy(resource("older" + kind + ".crl"), file, StandardCopyOption.REPLACE_EXISTING);
        method.refresh();
        List<String> problems = List.of(
                "auth.certificate.crl-file = " + file
                        + ": the list of CN=fleet authority of 2026-01-01T00:00:00Z is older than that in use, of 2026-01-02T00:00:00Z");
        assertEquals(problems, method.refresh());
        assertEquals(problems, method.reload());
        assertEquals(AuthCause.REVOKED, cause(ask(method, "sensor-2", "revoked")));
    }

    @Test
    void refresh_listOfAnotherDistributionPoint_isNoOlderOne() throws Exception {
        Path file = directory.resolve("list");
        Files.copy(resource("newer.crl"), file);
        Authenticator method = open(From.CN, "", file);
        Files.writeString(file, Files.readString(resource("newer.crl")) + Files.readString(resource("older-part.crl")));
        assertEquals(List.of(), method.reload());
    }

    /** A download failed, or whoever stands between left it out or cut it off. */
    @Test
    void reload_oneOfSeveralListsIsLost_isNotTaken() throws Exception {
        String kept = Files.readString(resource("revoked.crl"));
        String lost = Files.readString(resource("newer.crl"));
        String point = Files.readString(resource("newer-part.crl"));
        Path file = Files.writeString(directory.resolve("lists"), kept + lost + point);
        Authenticator method = open(From.CN, "", file);
        for (String after : List.of(
                kept + lost,
                kept + lost + point.substring(0, point.length() - 60),
                kept + lost + point.substring(0, 10))) {
            Files.writeString(file, after);
            assertEquals(1, method.reload().size());
        }
        String start = "auth.certificate.crl-file = " + file + ": ";
        assertEquals(
                List.of(start + "the list of CN=fleet authority for a distribution point is missing: need it, or no"
                        + " certificate of that authority in a client-ca-file"),
                method.refresh());
        Files.writeString(file, kept + lost + point);
        assertEquals(List.of(), method.reload());
    }

    @Test
    void reload_listAndItsAuthorityAreGone_isTaken() throws Exception {
        Path lists = Files.writeString(
                directory.resolve("lists"),
                Files.readString(resource("revoked.crl")) + Files.readString(resource("no-mid.crl")));
        Path authorities = Files.writeString(
                directory.resolve("authorities"),
                Files.readString(resource("ca.pem")) + Files.readString(resource("root.pem")));
        Authenticator method = new CertificateSettings(From.CN, "", lists, List.of(authorities))
                .open(new AuthContext(Runnable::run, new Grants(), () -> 0, () -> nowMillis));
        Files.copy(resource("revoked.crl"), lists, StandardCopyOption.REPLACE_EXISTING);
        Files.copy(resource("ca.pem"), authorities, StandardCopyOption.REPLACE_EXISTING);
        assertEquals(List.of(), method.reload());
    }

    @Test
    void refresh_listPastItsTime_isUsedAndTold() throws Exception {
        Path file = resource("overdue.crl");
        Authenticator method = open(From.CN, "", file);
        assertEquals(AuthCause.REVOKED, cause(ask(method, "sensor-2", "revoked")));
        assertEquals(
                List.of("auth.certificate.crl-file = " + file
                        + ": the list of CN=fleet authority should have been replaced by 2026-02-01T00:00:00Z; it is still used,"
                        + " and what was revoked since is not known"),
                method.refresh());
    }
}
