package io.heartwheel.auth;

import java.io.IOException;
import java.util.List;

/** Settings of one method of authentication: a record with the values of its block. Immutable; any thread. */
public interface MethodSettings {
    /** Name of the method and of its block: {@code jwt}. */
    String method();

    /**
     * What is wrong with the content of its files, naming key and file, as {@link #open} would find it: for checks of a configuration, which else looks only
     * into files that are read in no time. Blocks on files.
     */
    default List<String> fileProblems() {
        return List.of();
    }

    /**
     * Reads its files and starts its threads. Blocks on files; never on the network.
     *
     * @throws IOException naming key and file that cannot be used; nothing is left running then
     */
    Authenticator open(AuthContext context) throws IOException;
}
