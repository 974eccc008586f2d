package io.heartwheel.admin;

import io.heartwheel.net.HttpError;
import java.util.HexFormat;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Paging through lists that do not fit into one answer. Any thread. */
final class Paging {
    private static final int DEFAULT_LIMIT = 100;
    private static final int MAX_LIMIT = 1_000;
    private static final Pattern CURSOR = Pattern.compile("[0-9a-f]{16}");

    private Paging() {}

    /**
     * How many are wanted.
     *
     * @throws HttpError if it is no such number
     */
    static int limit(Request call) {
        String text = call.parameter("limit");
        if (text == null) {
            return DEFAULT_LIMIT;
        }
        int limit = text.matches("[0-9]{1,4}") ? Integer.parseInt(text) : 0;
        if (limit < 1 || limit > MAX_LIMIT) {
            throw HttpError.badRequest("limit = " + HttpError.quote(text) + ": need 1.." + MAX_LIMIT);
        }
        return limit;
    }

    /**
     * Where to go on, null for the beginning.
     *
     * @throws HttpError if no page ever ended so
     */
    static @Nullable Long cursor(Request call) {
        String text = call.parameter("cursor");
        if (text == null) {
            return null;
        }
        if (!CURSOR.matcher(text).matches()) {
            throw HttpError.badRequest("cursor = " + HttpError.quote(text) + ": need one that a page ended with");
        }
        return Long.parseUnsignedLong(text, 16);
    }

    /** A cursor as callers see it; null if there is none. */
    static @Nullable String text(@Nullable Long cursor) {
        return cursor == null ? null : HexFormat.of().toHexDigits(cursor);
    }
}
