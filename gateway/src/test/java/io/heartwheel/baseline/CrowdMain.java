package io.heartwheel.baseline;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/**
 * A {@link Crowd} as a process of its own, because one process has not descriptors enough for both ends. Arguments: wire, interval in milliseconds, port. One command
 * a line on standard input, one answer a line on standard output:
 *
 * <pre>
 *   gather COUNT PER_SECOND   -&gt;  open lost
 *   beat PER_SECOND SECONDS   -&gt;  sent answered lateMicros nanos lost
 *   scatter                   -&gt;  0
 * </pre>
 *
 * It ends with its standard input.
 */
public final class CrowdMain {
    private CrowdMain() {}

    public static void main(String[] args) throws Exception {
        InetSocketAddress server = new InetSocketAddress("127.0.0.1", Integer.parseInt(args[2]));
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        try (Crowd crowd = new Crowd(Wire.valueOf(args[0]), Integer.parseInt(args[1]), server)) {
            for (String line = commands.readLine(); line != null; line = commands.readLine()) {
                System.out.println(answer(crowd, line.split(" ")));
            }
        }
        System.exit(0);
    }

    private static String answer(Crowd crowd, String[] command) throws Exception {
        switch (command[0]) {
            case "gather" -> {
                int open = crowd.gather(Integer.parseInt(command[1]), Integer.parseInt(command[2]));
                return open + " " + crowd.lost();
            }
            case "beat" -> {
                Crowd.Round round = crowd.beat(Integer.parseInt(command[1]), Double.parseDouble(command[2]));
                return round.sent() + " " + round.answered() + " " + round.lateMicros() + " " + round.nanos() + " "
                        + round.lost();
            }
            default -> {
                crowd.scatter();
                return "0";
            }
        }
    }
}
