package io.heartwheel.loadgen.app;

import io.heartwheel.loadgen.client.ConnectionEnd;
import io.heartwheel.loadgen.scenario.Target;
import java.io.IOException;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Targets at which nobody listens: a run against them would say nothing of a server. */
final class NobodyListensException extends IOException {

    private static final long serialVersionUID = 1L;
    /** A SYN that is lost is sent again after one second and after three. */
    private static final int PATIENCE_MILLIS = 5_000;

    private NobodyListensException(String missing) {
        super(missing + ": nothing was run; start the server, or say where it is");
    }

    /**
     * Connects once to each target.
     *
     * @return what to tell of those that cannot be reached, if there are some
     * @throws NobodyListensException naming all of them, when none can be reached
     */
    static Optional<String> check(List<Target> targets) throws NobodyListensException {
        Map<String, String> missing = new TreeMap<>();
        int silent = 0;
        for (Target target : targets) {
            try (Socket socket = new Socket()) {
                socket.connect(target.address(), PATIENCE_MILLIS);
            } catch (IOException e) {
                // what this machine has too little of is told by the plan, or by the verdict
                if (ConnectionEnd.ofConnectFailure(e) != ConnectionEnd.OWN_FAILURE) {
                    missing.put(target.label(), String.valueOf(e.getMessage()));
                    silent++;
                }
            }
        }
        if (missing.isEmpty()) {
            return Optional.empty();
        }
        String text = missing.entrySet().stream()
                .map(each -> each.getKey() + " (" + each.getValue() + ")")
                .collect(Collectors.joining(", ", "nobody listens at ", ""));
        if (silent == targets.size()) {
            throw new NobodyListensException(text);
        }
        return Optional.of("note     " + text + ": its devices will be refused");
    }
}
