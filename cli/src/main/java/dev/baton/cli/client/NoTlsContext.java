/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.client;

import java.security.KeyManagementException;
import java.security.Provider;
import java.security.SecureRandom;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;

/**
 * Placeholder TLS context for a client that uses only plain HTTP: an HTTP client requires one when
 * it is built, and creating a real one takes most of this program's start-up time. Supports no
 * operation.
 */
final class NoTlsContext extends SSLContext {
  NoTlsContext() {
    super(new Nothing(), new NoProvider(), "none");
  }

  private static final class NoProvider extends Provider {
    private static final long serialVersionUID = 1L;

    NoProvider() {
      super("none", "1", "no TLS");
    }
  }

  private static final class Nothing extends SSLContextSpi {
    @Override
    protected void engineInit(KeyManager[] keys, TrustManager[] trust, SecureRandom random)
        throws KeyManagementException {
      throw new KeyManagementException("no TLS here");
    }

    @Override
    protected SSLSocketFactory engineGetSocketFactory() {
      throw none();
    }

    @Override
    protected SSLServerSocketFactory engineGetServerSocketFactory() {
      throw none();
    }

    @Override
    protected SSLEngine engineCreateSSLEngine() {
      throw none();
    }

    @Override
    protected SSLEngine engineCreateSSLEngine(String host, int port) {
      throw none();
    }

    @Override
    protected SSLSessionContext engineGetServerSessionContext() {
      throw none();
    }

    @Override
    protected SSLSessionContext engineGetClientSessionContext() {
      throw none();
    }

    @Override
    protected SSLParameters engineGetDefaultSSLParameters() {
      return new SSLParameters();
    }

    @Override
    protected SSLParameters engineGetSupportedSSLParameters() {
      return new SSLParameters();
    }

    private static UnsupportedOperationException none() {
      return new UnsupportedOperationException("no TLS here");
    }
  }
}
