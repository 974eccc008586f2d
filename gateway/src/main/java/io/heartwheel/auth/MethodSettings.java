package io.heartwheel.auth;

import java.io.IOException;

/** Settings of one method of authentication: a record with the values of its block. Immutable; any thread. */
public interface MethodSettings {
    /** Name of the method and of its block: {@code jwt}. */
    String method();

    /**
     * Reads its files and starts its threads. Blocks on files; never on the network.
     *
     * @throws IOException naming key and file that cannot be used; nothing is left running then
     */
    Authenticator open(AuthContext context) throws IOException;
}
