package io.heartwheel.session;

import io.heartwheel.auth.AuthCause;
import io.heartwheel.auth.AuthResult;
import io.heartwheel.auth.Authenticator;
import io.heartwheel.event.CloseReason;
import java.util.function.Predicate;

/**
 * Policy of who may come in, and of what those are told who may not. Immutable; any thread.
 *
 * @param authenticator decides
 * @param closesLater whether whoever is refused for this cause may try again
 * @param warnBeforeNanos so long before what it was admitted with expires a device is told, nanoseconds, 0 or more
 */
public record AuthPolicy(Authenticator authenticator, Predicate<AuthCause> closesLater, long warnBeforeNanos) {
    /** Everybody may come in. */
    public static final AuthPolicy ANYBODY = new AuthPolicy(Authenticator.ANYBODY, cause -> false, 0);

    /** What every peer is told that is not admitted, whatever the cause: a stranger learns nothing from it. */
    public static final String NOT_ADMITTED = "not admitted";

    /** How a connection ends that was not admitted. */
    CloseReason reasonOf(AuthResult result) {
        if (!(result instanceof AuthResult.Refused refused)) {
            return CloseReason.AUTH_UNAVAILABLE;
        }
        return closesLater.test(refused.cause()) ? CloseReason.UNAUTHORIZED_NOW : CloseReason.UNAUTHORIZED;
    }

    /** The same for the operator. */
    static String textOf(AuthResult result) {
        String detail = result instanceof AuthResult.Refused refused
                ? refused.detail()
                : result instanceof AuthResult.Unavailable unavailable ? unavailable.detail() : "";
        return detail.isEmpty() ? NOT_ADMITTED : NOT_ADMITTED + ": " + detail;
    }

    /** What the peer of a connection that closes for this reason is told. */
    static String told(CloseReason reason, String text) {
        return switch (reason) {
            case UNAUTHORIZED, UNAUTHORIZED_NOW, AUTH_UNAVAILABLE -> NOT_ADMITTED;
            // the operator is told from where; a device that shares its id is not
            case TAKEN_OVER -> "a newer connection has this device id";
            case ID_CONFLICT -> "two connections with this device id displace each other";
            default -> text;
        };
    }
}
