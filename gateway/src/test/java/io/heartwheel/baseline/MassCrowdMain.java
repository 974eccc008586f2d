package io.heartwheel.baseline;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/**
 * A {@link MassCrowd} as a process of its own. Arguments: wire, interval in milliseconds, port. Commands on standard input, answers on standard output:
 *
 * <pre>
 *   rehearse SILENT LIVE PER_SECOND           -&gt;  how many are there; the next expire is theirs, after it they are gone
 *   gather SILENT LIVE PER_SECOND             -&gt;  how many are there
 *   expire WARM_UP PERIOD TIMEOUT MOST        -&gt;  the numbers of an Outcome; milliseconds
 * </pre>
 *
 * It ends with its standard input.
 */
public final class MassCrowdMain {
    private MassCrowdMain() {}

    public static void main(String[] args) throws Exception {
        InetSocketAddress server = new InetSocketAddress("127.0.0.1", Integer.parseInt(args[2]));
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            boolean rehearsal = line.startsWith("rehearse");
            try (MassCrowd crowd = new MassCrowd(Wire.valueOf(args[0]), Integer.parseInt(args[1]), server)) {
                System.out.println(answer(crowd, line.split(" ")));
                for (line = commands.readLine(); line != null; line = rehearsal ? null : commands.readLine()) {
                    System.out.println(answer(crowd, line.split(" ")));
                }
            }
            if (!rehearsal) {
                break;
            }
        }
        System.exit(0);
    }

    private static String answer(MassCrowd crowd, String[] command) throws Exception {
        int[] n = new int[command.length];
        for (int i = 1; i < n.length; i++) {
            n[i] = Integer.parseInt(command[i]);
        }
        return switch (command[0]) {
            case "gather", "rehearse" -> Integer.toString(crowd.gather(n[1], n[2], n[3]));
            case "expire" -> crowd.expire(n[1], n[2], n[3], n[4]).line();
            default -> throw new IllegalArgumentException(command[0]);
        };
    }
}
