package io.heartwheel.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/**
 * Live objects that a collector has to walk, brought into a gateway as a Java agent: one long chain, which no two collecting threads can share. Knows
 * nothing of the gateway, nor the gateway of it.
 */
public final class Ballast {
    private static final int MILLION = 1_000_000;

    private static Ballast last;

    /** Read by nobody; without it the chain would be one link long. */
    private final Ballast before;

    private Ballast(Ballast before) {
        this.before = before;
    }

    /**
     * The agent's entry.
     *
     * @param millions of links, 16 bytes each or a little more
     */
    public static void premain(String millions) {
        for (long left = Long.parseLong(millions) * MILLION; left > 0; left--) {
            last = new Ballast(last);
        }
    }

    /** Whether there is any. */
    static boolean isLoaded() {
        return last != null && last.before != null;
    }

    /**
     * The option that loads it.
     *
     * @param directory takes the agent's jar
     */
    static String agent(Path directory, int millions) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().putValue("Premain-Class", Ballast.class.getName());
        Path jar = directory.resolve("ballast.jar");
        String name = Ballast.class.getName().replace('.', '/') + ".class";
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream entries = new JarOutputStream(file, manifest);
                InputStream code = Ballast.class.getClassLoader().getResourceAsStream(name)) {
            entries.putNextEntry(new JarEntry(name));
            code.transferTo(entries);
            entries.closeEntry();
        }
        return "-javaagent:" + jar + "=" + millions;
    }
}
