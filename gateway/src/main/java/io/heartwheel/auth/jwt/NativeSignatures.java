package io.heartwheel.auth.jwt;

import com.amazon.corretto.crypto.provider.AmazonCorrettoCryptoProvider;
import java.security.Provider;
import org.jspecify.annotations.Nullable;

/**
 * Provider that verifies signatures in native code, a tenth of the JDK's time and less: Amazon's AWS-LC, on Linux with x86-64. Elsewhere there is none, and the JDK
 * does it. It is installed for nobody else in the process. Any thread.
 */
final class NativeSignatures {
    /** Null where it is not to be had. */
    static final @Nullable Provider PROVIDER = load();

    private NativeSignatures() {}

    private static @Nullable Provider load() {
        try {
            AmazonCorrettoCryptoProvider provider = AmazonCorrettoCryptoProvider.INSTANCE;
            return provider.getLoadingError() == null ? provider : null;
        } catch (LinkageError unsuited) {
            return null;
        }
    }
}
