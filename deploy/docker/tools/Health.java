/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * The health check of the services' images, which have no other HTTP client. Exits with 0 when
 * {@code /q/health/ready} of the port answers 200 within 4 s, otherwise with 1 and the answer. Uses
 * TLS if {@code BATON_TLS_CERTIFICATE} is set.
 */
final class Health {
  private static final int MILLIS = 4_000;
  private static final int MOST = 4_096;

  private Health() {}

  public static void main(String[] args) {
    int port = Integer.parseInt(args[0]);
    boolean tls = !System.getenv().getOrDefault("BATON_TLS_CERTIFICATE", "").isEmpty();
    try (Socket plain = new Socket()) {
      plain.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), MILLIS);
      plain.setSoTimeout(MILLIS);
      try (Socket socket = tls ? encrypted(plain, port) : plain) {
        String request =
            "GET /q/health/ready HTTP/1.1\r\nHost: 127.0.0.1:"
                + port
                + "\r\nConnection: close\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        InputStream in = socket.getInputStream();
        String answer = new String(in.readNBytes(MOST), StandardCharsets.UTF_8);
        if (answer.startsWith("HTTP/1.1 200 ")) {
          System.exit(0);
        }
        System.out.println(answer);
      }
    } catch (IOException | GeneralSecurityException e) {
      System.out.println("port " + port + ": " + e);
    }
    System.exit(1);
  }

  private static Socket encrypted(Socket plain, int port)
      throws IOException, GeneralSecurityException {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {new AnyCertificate()}, null);
    return context.getSocketFactory().createSocket(plain, "127.0.0.1", port, true);
  }

  /**
   * Trusts every certificate, as probes of Kubernetes do: the port is in the container of this check,
   * nothing secret is sent, and a certificate of another host must not make a service unhealthy.
   */
  private static final class AnyCertificate extends X509ExtendedTrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
