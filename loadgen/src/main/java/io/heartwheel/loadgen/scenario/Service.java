package io.heartwheel.loadgen.scenario;

import java.util.List;
import java.util.Map;

/**
 * Server that a run starts beside its gateways, in one or several processes: what the gateways speak to.
 *
 * <p>In the command, in the files and in the settings of the gateways stands {@code {nats-0:client}} for the port {@code client} of
 * process 0 of the service {@code nats}. In the command and the files, {@code {port:client}} is the process's own,
 * {@value #NUMBER} its number and {@value #DIRECTORY} a directory of its own, which lasts as long as the run.
 *
 * @param count processes, numbered from 0
 * @param command program and arguments
 * @param ports names of ports of loopback that each process is given, for the whole run
 * @param readyPort the one of them that a process listens on when it is up
 * @param files texts by name, in the directory of each process
 * @param install how to get the program, for people
 */
public record Service(
        String name,
        int count,
        List<String> command,
        List<String> ports,
        String readyPort,
        Map<String, String> files,
        String install) {

    /** Stands for the number of a process, from 0; in the settings of the gateways for theirs. */
    public static final String NUMBER = "{number}";
    /** Stands for the directory of a process. */
    public static final String DIRECTORY = "{directory}";

    static final int MOST_PROCESSES = 16;

    /** Stands for a port of a process of this service. */
    public String port(int number, String port) {
        return "{" + name + "-" + number + ":" + port + "}";
    }

    /** Stands for a port of the process in whose command or file it is. */
    public static String own(String port) {
        return "{port:" + port + "}";
    }
}
