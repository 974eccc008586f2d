package io.heartwheel.admin;

import io.heartwheel.net.HttpError;
import java.util.EnumSet;
import java.util.Set;

/**
 * Caller of the admin listener, and what it may do. Immutable; any thread.
 *
 * @param name as the audit names it, fit for a log: {@code local}, {@code token/NAME}, {@code certificate/SUBJECT}; empty if it is not known
 * @param scopes what it may do
 */
record Caller(String name, Set<Scope> scopes) {
    /** Nobody in particular, where callers must be known. */
    static final Caller UNKNOWN = new Caller("", Set.of());
    /** Whoever reaches a listener that asks nobody. */
    static final Caller LOCAL = new Caller("local", EnumSet.allOf(Scope.class));

    /** Whoever another gateway of the fleet has let in. */
    static Caller ofNode(String node) {
        return new Caller("node/" + node, LOCAL.scopes());
    }

    /** Copies the scopes. */
    Caller {
        scopes = Set.copyOf(scopes);
    }

    /** Whether it has shown who it is, or need not. */
    boolean isKnown() {
        return !name.isEmpty();
    }

    /**
     * Refuses what it may not do.
     *
     * @throws HttpError 403 if its scopes are not enough
     */
    void require(Scope scope) {
        if (scope != Scope.NONE && !scopes.contains(scope)) {
            throw new HttpError(403, "forbidden", "need the scope " + scope.label());
        }
    }

    /** The same to whoever has no token and to whoever has a wrong one. */
    static HttpError unauthorized() {
        return new HttpError(401, "unauthorized", "need Authorization: Bearer TOKEN, or a client certificate");
    }
}
