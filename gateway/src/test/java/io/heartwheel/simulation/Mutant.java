package io.heartwheel.simulation;

import io.heartwheel.event.CloseReason;
import io.heartwheel.wheel.Timed;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/**
 * The gateway with one fault put in: a piece of a source file in place of another.
 *
 * @param fault in words
 * @param file under {@code io/heartwheel}
 * @param original occurs once in the file
 * @param mutated what stands there instead
 * @param first the world to begin with
 */
record Mutant(String fault, String file, String original, String mutated, long first) {
    private static final List<Path> SOURCES =
            List.of(Path.of("src/main/java/io/heartwheel"), Path.of("wheel/src/main/java/io/heartwheel"));
    private static final String OURS = "io.heartwheel.";

    Mutant(String fault, String file, String original, String mutated) {
        this(fault, file, original, mutated, 0);
    }

    @Override
    public String toString() {
        return file + ": " + fault;
    }

    /** The same, found out by this world where others take many. */
    Mutant foundIn(long seed) {
        return new Mutant(fault, file, original, mutated, seed);
    }

    /**
     * Runs worlds on the mutated gateway.
     *
     * @return the first with a violation and what that is, null if it survives them
     */
    @Nullable
    String run(Path scratch, long[] seeds, int scale) throws IOException, ReflectiveOperationException {
        return (String) onMutated(scratch, "run", new Class<?>[] {long[].class, int.class}, seeds, scale);
    }

    /** What happens in this world on the mutated gateway; null if it survives. */
    @Nullable
    String failureTrace(Path scratch, long seed, int scale) throws IOException, ReflectiveOperationException {
        return (String) onMutated(scratch, "failureTrace", new Class<?>[] {long.class, int.class}, seed, scale);
    }

    private @Nullable Object onMutated(Path scratch, String method, Class<?>[] types, Object... values)
            throws IOException, ReflectiveOperationException {
        compile(scratch);
        URL[] urls = {scratch.toUri().toURL(), home(Timed.class), home(CloseReason.class), home(Simulation.class)};
        try (ChildFirst loader = new ChildFirst(urls)) {
            loader.setDefaultAssertionStatus(true);
            Class<?> simulation = loader.loadClass(Simulation.class.getName());
            return simulation.getMethod(method, types).invoke(null, values);
        }
    }

    private void compile(Path scratch) throws IOException {
        String source = Files.readString(SOURCES.stream()
                .map(root -> root.resolve(file))
                .filter(Files::exists)
                .findFirst()
                .orElseThrow());
        int at = source.indexOf(original);
        if (at < 0 || source.indexOf(original, at + 1) >= 0) {
            throw new IllegalStateException("need exactly once in " + file + ": " + original);
        }
        String text = source.substring(0, at) + mutated + source.substring(at + original.length());
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<>();
        String path = Stream.of(Timed.class, CloseReason.class, Nullable.class)
                .map(type -> Path.of(location(type)).toString())
                .collect(Collectors.joining(File.pathSeparator));
        List<String> options =
                List.of("-proc:none", "-nowarn", "--release", "17", "-d", scratch.toString(), "-classpath", path);
        JavaFileObject unit = new SimpleJavaFileObject(URI.create("string:///" + file), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return text;
            }
        };
        if (!compiler.getTask(null, null, said, options, null, List.of(unit)).call()) {
            throw new IllegalStateException(
                    "does not compile: " + said.getDiagnostics().get(0).getMessage(Locale.ROOT));
        }
    }

    private static URI location(Class<?> of) {
        try {
            return of.getProtectionDomain().getCodeSource().getLocation().toURI();
        } catch (java.net.URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static URL home(Class<?> of) throws IOException {
        return location(of).toURL();
    }

    /** Loads what is ours anew, mutated classes before all others. */
    private static final class ChildFirst extends URLClassLoader {
        ChildFirst(URL[] urls) {
            super(urls, Mutant.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                if (loaded == null && name.startsWith(OURS)) {
                    return findClass(name);
                }
                return loaded == null ? super.loadClass(name, resolve) : loaded;
            }
        }
    }
}
