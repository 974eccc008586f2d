package io.heartwheel.app;

import io.netty.util.Version;
import picocli.CommandLine.IVersionProvider;

/** Versions printed by {@code --version}: that of the gateway, from the jar's manifest, and those of its libraries. */
final class Versions implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {
            "heartwheel-gateway " + own(),
            "java " + Runtime.version() + " (" + System.getProperty("java.vm.name") + ")",
            "netty " + netty()
        };
    }

    /** The version in the jar's manifest. */
    static String own() {
        String version = Versions.class.getPackage().getImplementationVersion();
        return version == null ? "(not from a jar)" : version;
    }

    private static String netty() {
        Version version = Version.identify(Versions.class.getClassLoader()).get("netty-common");
        return version == null ? "(unknown)" : version.artifactVersion();
    }
}
