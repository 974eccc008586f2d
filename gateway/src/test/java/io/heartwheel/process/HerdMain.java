package io.heartwheel.process;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/**
 * A {@link Herd} as a process of its own, for what happens to a client's whole process or network. Arguments: host, port, name, beat in milliseconds,
 * number of sources, the first of them. One command a line on standard input, one answer in JSON a line on standard output:
 *
 * <pre>
 *   connect COUNT          -&gt;  COUNT
 *   silence FIRST COUNT    -&gt;  nanoseconds
 *   answer-only FIRST COUNT -&gt; COUNT
 *   count                  -&gt;  {"live":..., "silent":...}
 *   reports                -&gt;  [{a DeviceReport}, ...]
 * </pre>
 *
 * It ends with its standard input, and when a command fails.
 */
public final class HerdMain {
    private static final ObjectMapper JSON = new ObjectMapper();

    private HerdMain() {}

    public static void main(String[] args) throws Exception {
        InetSocketAddress gateway = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
        int sources = Integer.parseInt(args[4]);
        String first = sources == 0 ? "" : args[5];
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        try (Herd herd = new Herd(new Herd.Settings(gateway, args[2], Integer.parseInt(args[3]), first, sources))) {
            for (String line = commands.readLine(); line != null; line = commands.readLine()) {
                System.out.println(JSON.writeValueAsString(answer(herd, line.split(" "))));
            }
        }
        System.exit(0);
    }

    private static Object answer(Herd herd, String[] command) throws Exception {
        return switch (command[0]) {
            case "connect" -> {
                herd.connect(Integer.parseInt(command[1]));
                yield Integer.valueOf(command[1]);
            }
            case "silence" -> herd.silence(Integer.parseInt(command[1]), Integer.parseInt(command[2]));
            case "answer-only" -> {
                herd.answerOnly(Integer.parseInt(command[1]), Integer.parseInt(command[2]));
                yield Integer.valueOf(command[2]);
            }
            case "count" -> herd.count();
            case "reports" -> herd.reports();
            default -> throw new IllegalArgumentException(command[0]);
        };
    }
}
