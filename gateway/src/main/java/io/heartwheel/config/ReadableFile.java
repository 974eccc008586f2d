package io.heartwheel.config;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;

/** Check that this process can read a file. If it exists but is not readable, the error names the user: a check may run as another user than the gateway. */
final class ReadableFile {
    /** What the JDK says of an account that has no name. */
    private static final String NO_NAME = "?";

    private ReadableFile() {}

    /** What is needed instead; empty: it can be read now. */
    static Optional<String> need(Path file) {
        try {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            if (!attributes.isRegularFile()) {
                return Optional.of("need a file that exists and can be read");
            }
            return Files.isReadable(file) ? Optional.empty() : Optional.of(denied("read it"));
        } catch (AccessDeniedException closedDirectory) {
            return Optional.of(denied("enter its directory"));
        } catch (IOException absent) {
            return Optional.of("need a file that exists and can be read");
        }
    }

    private static String denied(String deed) {
        String name = System.getProperty("user.name", NO_NAME);
        return "need a file that can be read; " + (name.equals(NO_NAME) ? "this user" : "user " + name) + " may not "
                + deed;
    }
}
