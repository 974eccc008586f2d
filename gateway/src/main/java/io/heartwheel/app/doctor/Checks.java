package io.heartwheel.app.doctor;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/** All checks, in the order in which an operator would make them. */
final class Checks {
    private record Check(String area, Function<CheckContext, List<Finding>> look) {}

    private static final List<Check> CHECKS = List.of(
            new Check("account", ProcessChecks::account),
            new Check("descriptors", ProcessChecks::descriptors),
            new Check("memory", MemoryChecks::of),
            new Check("ports", Ports::of),
            new Check("certificates", Certificates::of),
            new Check("authentication", AuthChecks::of),
            new Check("secrets", FileChecks::secrets),
            new Check("admin", AdminChecks::of),
            new Check("network", NetworkChecks::of),
            new Check("transport", Transports::of),
            new Check("clock", Clock::of),
            new Check("signals", ProcessChecks::signals),
            new Check("disk", FileChecks::disks),
            new Check("journal", StoreChecks::journal),
            new Check("messages", StoreChecks::messages),
            new Check("outlets", FileChecks::ofOutlets));

    private Checks() {}

    static List<Finding> of(CheckContext context) {
        return CHECKS.stream()
                .flatMap(check -> check.look().apply(context).stream().map(finding -> finding.in(check.area())))
                .toList();
    }

    /**
     * Mistakes of the configuration.
     *
     * @param problems none if it is good
     */
    static Stream<Finding> ofConfiguration(String source, List<String> problems) {
        Stream<Finding> found = problems.isEmpty()
                ? Stream.of(Finding.ok("good: " + source))
                : problems.stream()
                        .map(problem -> Finding.fail(
                                problem,
                                "the gateway does not start; what follows was looked at with the built-in defaults",
                                "edit " + source + ", then: heartwheel-gateway --config " + source + " --check"));
        return found.map(finding -> finding.in("configuration"));
    }
}
