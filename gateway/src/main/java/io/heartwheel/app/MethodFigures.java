package io.heartwheel.app;

import io.heartwheel.auth.Authenticator;
import io.heartwheel.auth.http.HookStatus;
import io.heartwheel.auth.http.HttpAuthenticator;
import io.heartwheel.auth.jwt.JwkStatus;
import io.heartwheel.auth.jwt.JwtAuthenticator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Figures of the methods of authentication, for metrics. A method that a reload exchanges leaves its counts behind, so that no counter ever falls.
 *
 * <p>Any thread; the lock is held for some reads of counters.
 */
final class MethodFigures {
    // ---- guarded by this
    private List<Authenticator> asked;
    private JwkStatus formerKeys = JwkStatus.NONE;
    private HookStatus formerService = HookStatus.NONE;

    /** Those of these methods. */
    MethodFigures(List<Authenticator> asked) {
        this.asked = List.copyOf(asked);
    }

    /** Goes on with these; to be called when they are asked, and before the others are closed. */
    synchronized void exchange(List<Authenticator> fresh) {
        for (Authenticator each : asked) {
            if (fresh.contains(each)) {
                continue;
            }
            if (each instanceof JwtAuthenticator jwt) {
                formerKeys = jwt.keys().after(formerKeys);
            } else if (each instanceof HttpAuthenticator http) {
                formerService = http.status().after(formerService);
            }
        }
        asked = List.copyOf(fresh);
    }

    /** Keys of signed tokens; without the method jwt only the counts of earlier ones. */
    synchronized JwkStatus keys() {
        JwtAuthenticator jwt = asked(JwtAuthenticator.class);
        return (jwt == null ? JwkStatus.NONE : jwt.keys()).after(formerKeys);
    }

    /** Service that is asked; without the method http only the counts of earlier ones. */
    synchronized HookStatus service() {
        HttpAuthenticator http = asked(HttpAuthenticator.class);
        return (http == null ? HookStatus.NONE : http.status()).after(formerService);
    }

    /** The method of this kind, of which there is at most one; null if it is not asked. */
    private <M extends Authenticator> @Nullable M asked(Class<M> kind) {
        for (Authenticator each : asked) {
            if (kind.isInstance(each)) {
                return kind.cast(each);
            }
        }
        return null;
    }
}
