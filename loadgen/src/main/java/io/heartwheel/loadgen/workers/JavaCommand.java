package io.heartwheel.loadgen.workers;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Command line that starts Java code as a process of its own.
 *
 * @param java the virtual machine
 * @param code what comes behind its options: {@code -jar FILE}, or a class path and a main class
 */
public record JavaCommand(Path java, List<String> code) {

    /**
     * The code this process runs, on the same virtual machine.
     *
     * @param mainClass where it begins, unless it was started from a jar, which knows
     */
    public static JavaCommand ofThisProcess(String mainClass) {
        String path = System.getProperty("java.class.path", "");
        boolean jar = path.endsWith(".jar") && path.indexOf(File.pathSeparatorChar) < 0;
        return new JavaCommand(machine(), jar ? List.of("-jar", path) : List.of("-cp", path, mainClass));
    }

    /** A runnable jar, on this process's virtual machine. */
    public static JavaCommand ofJar(Path jar) {
        return new JavaCommand(machine(), List.of("-jar", jar.toString()));
    }

    private static Path machine() {
        return Path.of(System.getProperty("java.home", ""), "bin", "java");
    }

    /** Whether it is started from a jar: only then its classes can be archived. */
    boolean isJar() {
        return code.get(0).equals("-jar");
    }

    /** The whole command line. */
    List<String> line(List<String> options, List<String> arguments) {
        List<String> line = new ArrayList<>();
        line.add(java.toString());
        line.addAll(options);
        line.addAll(code);
        line.addAll(arguments);
        return line;
    }
}
