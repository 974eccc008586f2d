package io.heartwheel.app.doctor;

import io.heartwheel.auth.AuthSettings;
import io.heartwheel.auth.MethodSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Check of authentication: who is asked, and whether what it reads can be used. */
final class AuthChecks {
    private static final String NOT_READ = "the gateway does not start, or refuses to reload";

    private AuthChecks() {}

    static List<Finding> of(CheckContext context) {
        AuthSettings auth = context.settings().auth();
        List<Finding> found = new ArrayList<>();
        String mode = auth.mode().name().toLowerCase(Locale.ROOT).replace('_', '-');
        String methods = auth.methods().stream().map(MethodSettings::method).collect(Collectors.joining(", "));
        found.add(Finding.ok("auth.mode = " + mode + (methods.isEmpty() ? "" : ": " + methods)));
        context.authFiles().forEach((key, file) -> found.add(readable(key, file)));
        if (found.stream().allMatch(each -> each.grade() == Finding.Grade.OK)) {
            auth.methods().stream()
                    .flatMap(method -> method.fileProblems().stream())
                    .forEach(problem -> found.add(Finding.fail(problem, NOT_READ, "correct the file")));
        }
        return found;
    }

    private static Finding readable(String key, Path file) {
        String what = key + " = " + file;
        return Files.isReadable(file) && !Files.isDirectory(file)
                ? Finding.ok(what + ": can be read")
                : Finding.fail(
                        what + ": cannot be read",
                        NOT_READ,
                        "ls -l " + file + "; the service's account must be able to read it");
    }
}
