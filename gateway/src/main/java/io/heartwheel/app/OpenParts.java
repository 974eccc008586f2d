package io.heartwheel.app;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Parts of a gateway that are open: closed from the last to the first, all of them at its end, or those there are when its start fails. One thread at a time.
 */
final class OpenParts implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OpenParts.class);

    private final Deque<Part> parts = new ArrayDeque<>();

    private record Part(String name, AutoCloseable closes) {}

    /**
     * Takes charge of a part that has just been opened.
     *
     * @param name for the log
     * @return the part
     */
    <T extends AutoCloseable> T add(String name, T part) {
        atTheEnd(name, part);
        return part;
    }

    /** This is to be done when all that comes later is closed. */
    void atTheEnd(String name, AutoCloseable task) {
        parts.push(new Part(name, task));
    }

    /** Closes each, once, whether or not others can be closed. */
    @Override
    public void close() {
        while (!parts.isEmpty()) {
            Part last = parts.pop();
            try {
                last.closes.close();
            } catch (Exception failed) {
                LOG.warn("the {} did not close: {}", last.name, failed.getMessage());
            }
        }
    }
}
