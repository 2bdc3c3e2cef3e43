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

/**
 * The health check of the services' images, which have no other HTTP client. Exits with 0 when
 * {@code /q/health/ready} of the port answers 200 within 4 s, otherwise with 1 and the answer.
 */
final class Health {
  private static final int MILLIS = 4_000;
  private static final int MOST = 4_096;

  private Health() {}

  public static void main(String[] args) {
    int port = Integer.parseInt(args[0]);
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), MILLIS);
      socket.setSoTimeout(MILLIS);
      String request =
          "GET /q/health/ready HTTP/1.1\r\nHost: 127.0.0.1:" + port + "\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      InputStream in = socket.getInputStream();
      String answer = new String(in.readNBytes(MOST), StandardCharsets.UTF_8);
      if (answer.startsWith("HTTP/1.1 200 ")) {
        System.exit(0);
      }
      System.out.println(answer);
    } catch (IOException e) {
      System.out.println("port " + port + ": " + e);
    }
    System.exit(1);
  }
}
