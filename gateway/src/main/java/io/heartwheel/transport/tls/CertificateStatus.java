package io.heartwheel.transport.tls;

/**
 * A certificate in use, for the metrics. Times are milliseconds since 1970. Immutable; any thread.
 *
 * @param certificate its name within the listener, see {@link CertificateFiles#name}
 * @param stapled whether a file with an OCSP answer was named for it
 * @param staplesUntilMillis end of that answer; 0: there is none that will do
 */
public record CertificateStatus(
        String listener, String certificate, long notAfterMillis, boolean stapled, long staplesUntilMillis) {

    static CertificateStatus of(String listener, Credential credential) {
        OcspStaple staple = credential.staple();
        return new CertificateStatus(
                listener,
                credential.name(),
                credential.notAfterMillis(),
                credential.files().ocspFile() != null,
                staple == null ? 0 : staple.nextUpdateMillis());
    }
}
