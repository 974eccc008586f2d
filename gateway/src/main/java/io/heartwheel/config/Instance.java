package io.heartwheel.config;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Name of this process among several that read the same configuration; empty for the only one. Immutable; any thread.
 *
 * @param name as in events
 */
record Instance(String name) {

    static Instance of(Section root) {
        return new Instance(root.text(
                "instance",
                "need a name of at most 32 characters of [A-Za-z0-9_-]",
                text -> text.matches("[A-Za-z0-9_-]{0,32}")));
    }

    /** A file that this process alone writes: {@code events.jsonl} becomes {@code events-1.jsonl}. A device or a pipe is what it is. */
    Path own(Path file) {
        Path last = file.getFileName();
        if (name.isEmpty() || last == null || (Files.exists(file) && !Files.isRegularFile(file))) {
            return file;
        }
        String text = last.toString();
        int dot = text.lastIndexOf('.');
        int end = dot > 0 ? dot : text.length();
        return file.resolveSibling(text.substring(0, end) + "-" + name + text.substring(end));
    }
}
