package io.heartwheel.transport.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heartwheel.transport.tls.TlsCheck.Mistake;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Mistakes that a listener's files would show when it opens. */
class TlsCheckTest {

    @ParameterizedTest
    @CsvSource({"ec.pem,ec.key", "ec.pem,ec-sec1.key", "rsa.pem,rsa.key", "rsa.pem,rsa-pkcs1.key"})
    void certificate_withItsKey_isGood(String certificate, String key) {
        assertEquals(List.of(), mistakes(certificate, key));
    }

    @ParameterizedTest
    @CsvSource({
        "ec.pem,stranger.key,key-file,the key is not that of the certificate",
        "rsa.pem,ec.key,key-file,'the key is broken, or of another kind than the certificate''s'",
        "rsa.pem,ec-sec1.key,key-file,'the key is broken, or of another kind than the certificate''s'",
        "ec.pem,rsa-pkcs1.key,key-file,'the key is broken, or of another kind than the certificate''s'",
        "rsa.pem,rsa-encrypted.key,key-file,'the key is encrypted, need one without a passphrase'",
        "rsa.pem,rsa-pkcs1-encrypted.key,key-file,'the key is encrypted, need one without a passphrase'",
        "rsa.pem,rsa.pem,key-file,there is no PRIVATE KEY block in it",
        "ed25519.pem,ed25519.key,key-file,'its key is of the kind EdDSA, need RSA or EC'",
        "ec.key,ec.key,certificate-file,there is no CERTIFICATE block in it",
    })
    void certificate_thatWillNotDo_isToldWithItsKey(String certificate, String key, String wrong, String what) {
        assertEquals(List.of(new Mistake(wrong, what)), mistakes(certificate, key));
    }

    @Test
    void certificate_withoutKeyFile_isLookedAtAlone() {
        assertEquals(List.of(), TlsCheck.certificate(Fixtures.file("ec.pem"), null));
    }

    @Test
    void files_thatCannotBeRead_areToldSo() {
        Path nowhere = Path.of("/nowhere/at/all");
        String unreadable = "it cannot be read";

        assertEquals(List.of(new Mistake("certificate-file", unreadable)), TlsCheck.certificate(nowhere, nowhere));
        assertEquals(
                List.of(new Mistake("key-file", unreadable)), TlsCheck.certificate(Fixtures.file("ec.pem"), nowhere));
        assertEquals(List.of(new Mistake("client-ca-file", unreadable)), TlsCheck.authorities(nowhere));
    }

    @Test
    void authorities_needCertificates() {

        assertEquals(List.of(), TlsCheck.authorities(Fixtures.file("ca.pem")));
        assertEquals(
                List.of(new Mistake("client-ca-file", "there is no CERTIFICATE block in it")),
                TlsCheck.authorities(Fixtures.file("ec.key")));
    }

    @Test
    void whole_ciphersThatFitNoKey_areTold() {
        TlsSettings good = Fixtures.settings(TlsSettings.Provider.AUTO, Fixtures.certificate("ec"));
        List<String> ciphers = List.of("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256");
        TlsSettings bad =
                new TlsSettings(good.provider(), good.certificates(), good.oldest(), ciphers, good.clientAuth(), null);

        assertEquals(List.of(), TlsCheck.whole(good));
        assertEquals(
                List.of(new Mistake("ciphers", "need one for the EC key of " + Fixtures.file("ec.pem"))),
                TlsCheck.whole(bad));
    }

    private static List<Mistake> mistakes(String certificate, String key) {
        return TlsCheck.certificate(Fixtures.file(certificate), Fixtures.file(key));
    }
}
