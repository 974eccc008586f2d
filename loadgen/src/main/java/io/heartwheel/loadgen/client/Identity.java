package io.heartwheel.loadgen.client;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;

/** Certificate that one device shows, and its key. */
public record Identity(PrivateKey key, X509Certificate certificate) {}
