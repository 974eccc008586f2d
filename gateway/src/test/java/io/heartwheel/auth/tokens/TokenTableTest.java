package io.heartwheel.auth.tokens;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.auth.HashedToken;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The packed table beside a map, and its size. */
class TokenTableTest {
    private static final int MILLION = 1_000_000;

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static HashedToken hash(String salt, String token) {
        byte[] full = HashedToken.digest(new byte[0], bytes(salt));
        byte[] salted = java.util.Arrays.copyOf(full, HashedToken.SALT_BYTES);
        return new HashedToken(salted, HashedToken.digest(salted, bytes(token)));
    }

    @Test
    void table_randomLines_answersAsAMap() {
        long seed = Long.getLong("test.seed", System.nanoTime());
        System.out.println("TokenTableTest seed " + seed);
        Random random = new Random(seed);
        for (int round = 0; round < 8; round++) {
            compare(random, 1 + random.nextInt(2_000), 1 + random.nextInt(4));
        }
    }

    /** @param letters few of them: ids that differ little, and many that stand twice */
    private static void compare(Random random, int lines, int letters) {
        TokenTable.Builder builder = new TokenTable.Builder();
        Map<String, List<String>> model = new HashMap<>();
        Map<String, String> grants = new HashMap<>();
        for (int i = 0; i < lines; i++) {
            String id = id(random, letters);
            List<String> tokens = new ArrayList<>();
            List<HashedToken> hashes = new ArrayList<>();
            for (int each = random.nextInt(2); each >= 0; each--) {
                tokens.add("token " + random.nextInt());
                hashes.add(hash(id + each, tokens.get(tokens.size() - 1)));
            }
            String grant = random.nextBoolean() ? "" : "n=" + random.nextInt(50);
            boolean fresh = !model.containsKey(id);
            assertEquals(fresh, builder.add(new TokenLine(bytes(id), hashes, grant)), id);
            if (fresh) {
                model.put(id, tokens);
                grants.put(id, grant);
            }
        }
        TokenTable table = builder.build();
        assertEquals(model.size(), table.devices());
        model.forEach((id, tokens) -> {
            long place = table.find(bytes(id));
            tokens.forEach(token -> assertTrue(table.matches(place, bytes(token)), id));
            assertFalse(table.matches(place, bytes("token")), id);
            assertEquals(TokenLine.grant(grants.get(id)), table.grant(place), id);
        });
        for (int i = 0; i < 1_000; i++) {
            String id = id(random, letters);
            assertEquals(model.containsKey(id), table.find(bytes(id)) != TokenTable.NONE, id);
        }
    }

    private static String id(Random random, int letters) {
        StringBuilder id = new StringBuilder();
        for (int length = 1 + random.nextInt(random.nextInt(10) == 0 ? 128 : 6); length > 0; length--) {
            id.append((char) ('a' + random.nextInt(letters)));
        }
        return id.toString();
    }

    @Test
    void read_aMillionLines_takeAtMostAHundredMegabytes() throws Exception {
        TokenTable table = TokenFile.read(new Million(), "million", TokenFile.MOST_BYTES);
        assertEquals(MILLION, table.devices());
        assertTrue(table.memoryBytes() <= 100_000_000, () -> table.memoryBytes() + " bytes");
        assertTrue(table.memoryBytes() >= 70_000_000, () -> table.memoryBytes() + " bytes: is all of it counted?");
        assertTrue(table.find(bytes("device-0999999")) != TokenTable.NONE);
        assertEquals(TokenTable.NONE, table.find(bytes("device-1000000")));
    }

    /** A million lines, {@code device-0000000 sha256:... groups=gN}, made while they are read. */
    private static final class Million extends InputStream {
        private final byte[] line =
                bytes("device-0000000 sha256:" + "0123456789abcdef".repeat(2) + ":" + "f".repeat(64) + " groups=g0\n");
        private int next;
        private int at = line.length;

        @Override
        public int read() {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0];
        }

        @Override
        public int read(byte[] into, int from, int most) {
            if (at == line.length) {
                if (next == MILLION) {
                    return -1;
                }
                for (int digit = 13, rest = next; digit > 6; digit--, rest /= 10) {
                    line[digit] = (byte) ('0' + rest % 10);
                }
                line[line.length - 2] = (byte) ('0' + next % 10);
                next++;
                at = 0;
            }
            int count = Math.min(most, line.length - at);
            System.arraycopy(line, at, into, from, count);
            at += count;
            return count;
        }
    }
}
