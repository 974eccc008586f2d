package io.heartwheel.transport.tls;

import io.heartwheel.net.Pem;
import io.netty.util.ReferenceCountUtil;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Check of a listener's files, by the code that opens the listener. A certificate out of its time is no mistake: a gateway starts with it
 * and says so. Nothing is kept. Stateless; any thread that may block on files.
 */
public final class TlsCheck {
    /**
     * A mistake in the TLS settings or files.
     *
     * @param key whose value is wrong, within the block of a certificate or the listener's block {@code tls}
     * @param what is wrong with it
     */
    public record Mistake(String key, String what) {}

    private TlsCheck() {}

    /**
     * A certificate and its key.
     *
     * @param keyFile null: not looked at
     * @return empty: all is well
     */
    public static List<Mistake> certificate(Path certificateFile, @Nullable Path keyFile) {
        List<Mistake> found = mistakes("certificate-file", () -> chain(certificateFile));
        return found.isEmpty() && keyFile != null
                ? mistakes("key-file", () -> key(chain(certificateFile).get(0).getPublicKey(), keyFile))
                : found;
    }

    /**
     * Those who sign the devices' certificates.
     *
     * @return empty: all is well
     */
    public static List<Mistake> authorities(Path clientCaFile) {
        return mistakes("client-ca-file", () -> chain(clientCaFile));
    }

    private static List<Mistake> mistakes(String key, Runnable reading) {
        try {
            reading.run();
            return List.of();
        } catch (IllegalArgumentException broken) {
            return List.of(new Mistake(key, String.valueOf(broken.getMessage())));
        }
    }

    /**
     * All of a listener together, each file of which was found good.
     *
     * @return empty: all is well
     */
    public static List<Mistake> whole(TlsSettings settings) {
        try {
            TlsContexts.Built built =
                    TlsContexts.build(settings, new TlsFiles(settings), true, System::currentTimeMillis);
            ReferenceCountUtil.release(built.context());
            return List.of();
        } catch (SSLException bad) {
            return List.of(
                    bad.getCause() instanceof TlsFault fault
                            ? new Mistake(fault.key(), fault.what())
                            : new Mistake("enabled", String.valueOf(bad.getMessage())));
        }
    }

    /**
     * The certificates in a file, in its order.
     *
     * @throws IllegalArgumentException saying why it cannot be used
     */
    public static List<X509Certificate> chain(Path certificateFile) {
        return Pem.certificates(Pem.bytesOf(certificateFile));
    }

    /** What is wrong with the file of a certificate's key; empty: nothing. */
    public static List<Mistake> keyMistakes(PublicKey certified, Path keyFile) {
        return mistakes("key-file", () -> key(certified, keyFile));
    }

    private static PrivateKey key(PublicKey certified, Path keyFile) {
        return Pem.key(Pem.bytesOf(keyFile), certified);
    }
}
