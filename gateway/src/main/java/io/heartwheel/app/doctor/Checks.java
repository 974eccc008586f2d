package io.heartwheel.app.doctor;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/** All checks, in the order in which an operator would make them. */
final class Checks {
    private static final List<Function<CheckContext, List<Finding>>> CHECKS = List.of(
            UserAccount::of,
            Descriptors::of,
            MemoryChecks::of,
            Ports::of,
            Certificates::of,
            Secrets::of,
            NetworkChecks::of,
            Transports::of,
            Clock::of,
            IgnoredSignals::of,
            Disks::of);

    private Checks() {}

    static List<Finding> of(CheckContext context) {
        return CHECKS.stream().flatMap(check -> check.apply(context).stream()).toList();
    }

    /**
     * Mistakes of the configuration.
     *
     * @param problems none if it is good
     */
    static Stream<Finding> ofConfiguration(String source, List<String> problems) {
        return problems.isEmpty()
                ? Stream.of(Finding.ok("configuration", "good: " + source))
                : problems.stream()
                        .map(problem -> Finding.fail(
                                "configuration",
                                problem,
                                "the gateway does not start; what follows was looked at with the built-in defaults",
                                "edit " + source + ", then: heartwheel-gateway --config " + source + " --check"));
    }
}
