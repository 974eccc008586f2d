package io.heartwheel.loadgen.app;

import io.heartwheel.loadgen.client.ConnectionEnd;
import io.heartwheel.loadgen.scenario.Target;
import java.io.IOException;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Targets at which nobody listens: a run against them would say nothing of a server. */
final class NobodyListensException extends IOException {

    private static final long serialVersionUID = 1L;
    /** A SYN that is lost is sent again after one second and after three. */
    private static final int PATIENCE_MILLIS = 5_000;

    private NobodyListensException(Map<String, String> missing) {
        super("nobody listens at "
                + String.join(
                        ", ",
                        missing.entrySet().stream()
                                .map(each -> each.getKey() + " (" + each.getValue() + ")")
                                .toList())
                + ": nothing was run; start the server, or say where it is");
    }

    /**
     * Connects once to each target.
     *
     * @throws NobodyListensException naming all that cannot be reached
     */
    static void check(List<Target> targets) throws NobodyListensException {
        Map<String, String> missing = new TreeMap<>();
        for (Target target : targets) {
            try (Socket socket = new Socket()) {
                socket.connect(target.address(), PATIENCE_MILLIS);
            } catch (IOException e) {
                // what this machine has too little of is told by the plan, or by the verdict
                if (ConnectionEnd.ofConnectFailure(e) != ConnectionEnd.OWN_FAILURE) {
                    missing.put(target.label(), String.valueOf(e.getMessage()));
                }
            }
        }
        if (!missing.isEmpty()) {
            throw new NobodyListensException(missing);
        }
    }
}
