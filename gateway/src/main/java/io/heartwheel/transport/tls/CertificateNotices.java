package io.heartwheel.transport.tls;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Warnings about certificates, for the operator to see before devices fail. A function of certificates and time; any thread. */
final class CertificateNotices {
    /** How long before its end a certificate is spoken of. */
    static final long AHEAD_MILLIS = Duration.ofDays(14).toMillis();

    private CertificateNotices() {}

    /** What is to be said of a listener now, a line each; the same words as long as nothing changes. */
    static List<String> of(String listener, List<Credential> credentials, long nowMillis) {
        List<String> notices = new ArrayList<>();
        for (Credential credential : credentials) {
            String which = "listener " + listener + ": certificate "
                    + credential.files().certificateFile();
            if (nowMillis >= credential.notAfterMillis()) {
                notices.add(which + " expired on " + Instant.ofEpochMilli(credential.notAfterMillis())
                        + ": devices that look at it stay away");
            } else if (nowMillis >= credential.notAfterMillis() - AHEAD_MILLIS) {
                notices.add(which + " expires on " + Instant.ofEpochMilli(credential.notAfterMillis()));
            }
            if (nowMillis < credential.notBeforeMillis()) {
                notices.add(which + " is not valid before " + Instant.ofEpochMilli(credential.notBeforeMillis()));
            }
            staple(which, credential, nowMillis, notices);
        }
        return notices;
    }

    private static void staple(String which, Credential credential, long nowMillis, List<String> notices) {
        OcspStaple staple = credential.staple();
        if (!credential.stapleFault().isEmpty()) {
            notices.add(which + " goes without a staple: ocsp-file = "
                    + credential.files().ocspFile() + ": " + credential.stapleFault());
        } else if (staple != null && !staple.holds(nowMillis)) {
            notices.add(which + " goes without a staple: ocsp-file = "
                    + credential.files().ocspFile() + " held until "
                    + Instant.ofEpochMilli(staple.nextUpdateMillis()));
        }
    }
}
