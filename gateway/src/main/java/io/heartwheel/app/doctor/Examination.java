package io.heartwheel.app.doctor;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/** All checks, in the order an operator would go about it. */
final class Examination {
    private static final List<Function<Patient, List<Finding>>> CHECKS = List.of(
            Account::of,
            Descriptors::of,
            Memory::of,
            Ports::of,
            Certificates::of,
            Secrets::of,
            Network::of,
            Transports::of,
            Clock::of,
            IgnoredSignals::of,
            Disks::of);

    private Examination() {}

    static List<Finding> of(Patient patient) {
        return CHECKS.stream().flatMap(check -> check.apply(patient).stream()).toList();
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
