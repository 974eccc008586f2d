package io.heartwheel.config;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigIncludeContext;
import com.typesafe.config.ConfigIncluder;
import com.typesafe.config.ConfigIncluderClasspath;
import com.typesafe.config.ConfigIncluderFile;
import com.typesafe.config.ConfigIncluderURL;
import com.typesafe.config.ConfigObject;
import java.io.File;
import java.net.URL;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Includes whose file must be there, whether or not they say {@code required(...)}: one that is misspelt would leave out what it was to say, a token for
 * example, without a word. Stateless but for what it hands on to; one thread.
 */
final class RequiredIncludes implements ConfigIncluder, ConfigIncluderFile, ConfigIncluderURL, ConfigIncluderClasspath {
    /** An included file cannot be read. */
    static final class Missing extends RuntimeException {
        private static final long serialVersionUID = 1;

        Missing(String what, Throwable cause) {
            super("include " + what + ": need a file that exists and can be read", cause);
        }
    }

    private final @Nullable ConfigIncluder reader;

    RequiredIncludes() {
        this(null);
    }

    private RequiredIncludes(@Nullable ConfigIncluder reader) {
        this.reader = reader;
    }

    @Override
    public ConfigIncluder withFallback(ConfigIncluder fallback) {
        return reader == null ? new RequiredIncludes(fallback) : this;
    }

    @Override
    public ConfigObject include(ConfigIncludeContext context, String what) {
        return there(what, () -> reader().include(required(context), what));
    }

    @Override
    public ConfigObject includeFile(ConfigIncludeContext context, File what) {
        return there(what, () -> ((ConfigIncluderFile) reader()).includeFile(required(context), what));
    }

    @Override
    public ConfigObject includeURL(ConfigIncludeContext context, URL what) {
        return there(what, () -> ((ConfigIncluderURL) reader()).includeURL(required(context), what));
    }

    @Override
    public ConfigObject includeResources(ConfigIncludeContext context, String what) {
        return there(what, () -> ((ConfigIncluderClasspath) reader()).includeResources(required(context), what));
    }

    private static ConfigObject there(Object what, Supplier<ConfigObject> included) {
        try {
            return included.get();
        } catch (ConfigException.IO e) {
            throw new Missing(String.valueOf(what), e);
        }
    }

    private ConfigIncluder reader() {
        return Objects.requireNonNull(reader, "the library's own includer");
    }

    private static ConfigIncludeContext required(ConfigIncludeContext context) {
        return context.setParseOptions(context.parseOptions().setAllowMissing(false));
    }
}
