package io.heartwheel.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Random;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Addresses as texts, against another reader and writer of them. */
class IpAddressTest {
    private static final int ROUNDS = 100_000;
    private static final Pattern LENIENT = Pattern.compile("[0-9a-f]{5}|\\b0[0-9]+\\.|\\.0[0-9]");

    @Test
    void text_random_agreesWithNettys() throws Exception {
        long seed = Long.getLong("test.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < ROUNDS; round++) {
            byte[] address = new byte[random.nextInt(4) == 0 ? 4 : 16];
            for (int i = 0; i < address.length; i++) {
                address[i] = (byte) (random.nextInt(10) < 7 ? 0 : random.nextInt(256));
            }
            byte[] plain = IpAddress.plain(address);
            String text = IpAddress.text(plain);
            assertEquals(NetUtil.toAddressString(InetAddress.getByAddress(plain)), text, () -> "seed " + seed);
            assertArrayEquals(plain, IpAddress.parse(text), () -> "seed " + seed + " " + text);
        }
    }

    /** The JDK takes leading zeros as well. */
    @Test
    void parse_random_agreesWithTheJdks() {
        long seed = Long.getLong("test.seed", System.nanoTime());
        Random random = new Random(seed);
        String[] pieces = {":", "::", "0", "1", "ab", "ffff", "12345", ".", "255", "1.2.3.4", "1:2:3:4", "g", "1:2"};
        for (int round = 0; round < ROUNDS; round++) {
            StringBuilder pick = new StringBuilder();
            for (int i = random.nextInt(10); i >= 0; i--) {
                pick.append(pieces[random.nextInt(pieces.length)]);
            }
            String text = pick.toString();
            byte[] ours = IpAddress.parse(text);
            byte[] theirs = text.indexOf(':') < 0 ? null : jdk(text);
            if (ours == null && (theirs == null || LENIENT.matcher(text).find())) {
                continue;
            }
            byte[] expected = text.indexOf(':') < 0 ? NetUtil.createByteArrayFromIpAddressString(text) : theirs;
            assertArrayEquals(expected, ours, () -> "seed " + seed + " " + text);
        }
    }

    /** In brackets nothing is looked up. */
    private static byte @Nullable [] jdk(String text) {
        try {
            return IpAddress.plain(InetAddress.getByName("[" + text + "]").getAddress());
        } catch (UnknownHostException none) {
            return null;
        }
    }
}
