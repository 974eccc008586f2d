package io.heartwheel.auth;

import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Grants by content: equal ones become one object, up to {@value #MOST_SHARED} that somebody has; past them each device keeps its own. One that nobody has
 * any more makes room, so that names which come and go do not use it up. Any thread.
 */
public final class Grants {
    private static final int MOST_SHARED = 65_536;

    /** Each by itself, held by neither key nor value. Guarded by itself. */
    private final Map<Grant, WeakReference<Grant>> shared = new WeakHashMap<>();

    /** Nothing is shared yet. */
    public Grants() {}

    /** The object to keep of this grant; null for {@link Grant#NONE}. */
    public @Nullable Grant share(Grant grant) {
        if (grant.equals(Grant.NONE)) {
            return null;
        }
        synchronized (shared) {
            WeakReference<Grant> reference = shared.get(grant);
            Grant known = reference == null ? null : reference.get();
            if (known != null) {
                return known;
            }
            if (shared.size() < MOST_SHARED) {
                shared.put(grant, new WeakReference<>(grant));
            }
            return grant;
        }
    }
}
