package io.heartwheel.sink;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.heartwheel.output.LineOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Keeps lines, fails or stalls on demand. */
final class KeptLines implements LineOutput {
    private static final ObjectMapper JSON = new ObjectMapper();

    final List<String> written = Collections.synchronizedList(new ArrayList<>());
    final CountDownLatch entered = new CountDownLatch(1);
    volatile boolean failing;
    volatile CountDownLatch gate = new CountDownLatch(0);
    volatile boolean closed;
    int writes;

    @Override
    public void write(ByteBuffer lines) throws IOException {
        writes++;
        entered.countDown();
        try {
            gate.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted");
        }
        if (failing) {
            throw new IOException("No space left on device");
        }
        StandardCharsets.UTF_8.decode(lines).toString().lines().forEach(written::add);
    }

    @Override
    public void close() {
        closed = true;
    }

    /** What each line tells of. */
    List<String> kinds() {
        return written.stream().map(line -> tree(line).get("event").asText()).toList();
    }

    /** The only line that tells a loss. */
    JsonNode gap() {
        assertEquals(1, gaps().size(), written::toString);
        return gaps().get(0);
    }

    List<JsonNode> gaps() {
        return written.stream()
                .map(KeptLines::tree)
                .filter(line -> line.get("event").asText().equals("gap"))
                .toList();
    }

    static JsonNode tree(String line) {
        try {
            return JSON.readTree(line);
        } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
            throw new AssertionError(line, e);
        }
    }
}
