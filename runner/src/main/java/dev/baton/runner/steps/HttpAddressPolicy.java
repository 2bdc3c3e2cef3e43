/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.steps;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Decides to which addresses http steps, and proxies of sandboxes, may connect. Denies link-local
 * addresses and those at which clouds give credentials to every program of a machine, and further
 * ones by configuration. Immutable.
 */
public final class HttpAddressPolicy {
  private static final Map<String, List<String>> GROUPS =
      Map.of(
          // 0.0.0.0 and :: reach the own machine, too.
          "loopback", List.of("127.0.0.0/8", "0.0.0.0/8", "::1", "::"),
          "private",
              List.of("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"),
          "link-local", List.of("169.254.0.0/16", "fe80::/10"),
          // Of AWS, Google, Alibaba, Oracle and Azure, except those that are link-local.
          "metadata",
              List.of(
                  "fd00:ec2::254",
                  "fd20:ce::254",
                  "100.100.100.200",
                  "192.0.0.192",
                  "168.63.129.16"));

  private static final List<AddressRange> ALWAYS =
      Stream.of("link-local", "metadata").flatMap(name -> ranges(name).stream()).toList();

  /** Denies what is always denied. */
  public static final HttpAddressPolicy DEFAULT = of("", "");

  private static final int IPV4 = 4;

  private final List<AddressRange> denied;
  private final List<AddressRange> allowed;

  private HttpAddressPolicy(List<AddressRange> denied, List<AddressRange> allowed) {
    this.denied = denied;
    this.allowed = allowed;
  }

  /**
   * @param deny ranges and names of groups, separated by commas, in addition to the usual ones
   * @param allow exceptions, likewise
   * @throws IllegalArgumentException when an entry is neither
   */
  public static HttpAddressPolicy of(String deny, String allow) {
    List<AddressRange> denied = new ArrayList<>(ALWAYS);
    denied.addAll(parse(deny));
    return new HttpAddressPolicy(List.copyOf(denied), parse(allow));
  }

  private static List<AddressRange> parse(String list) {
    return Arrays.stream(list.split(","))
        .map(String::strip)
        .filter(entry -> !entry.isEmpty())
        .flatMap(entry -> ranges(entry).stream())
        .toList();
  }

  private static List<AddressRange> ranges(String entry) {
    return GROUPS.getOrDefault(entry, List.of(entry)).stream().map(AddressRange::of).toList();
  }

  /** No address of a host may be connected to. */
  public static final class DeniedAddressException extends UnknownHostException {
    private static final long serialVersionUID = 1L;

    DeniedAddressException(String host, InetAddress address) {
      super(
          "%s is %s, to which http steps and proxies may not connect (baton.http-step.allow of the runner)"
              .formatted(host, address.getHostAddress()));
    }
  }

  /**
   * Returns those of a host's addresses to which they may connect.
   *
   * @throws DeniedAddressException when there are none
   */
  public InetAddress[] check(String host, InetAddress[] addresses) throws DeniedAddressException {
    InetAddress[] permitted =
        Arrays.stream(addresses).filter(this::permits).toArray(InetAddress[]::new);
    if (permitted.length == 0 && addresses.length > 0) {
      throw new DeniedAddressException(host, addresses[0]);
    }
    return permitted;
  }

  boolean permits(InetAddress address) {
    List<InetAddress> all = withEmbedded(address);
    return all.stream()
        .allMatch(
            one ->
                allowed.stream().anyMatch(range -> range.contains(one))
                    || denied.stream().noneMatch(range -> range.contains(one)));
  }

  /**
   * Adds the IPv4 address to which a translator or tunnel would pass the packets of an IPv6 one.
   */
  private static List<InetAddress> withEmbedded(InetAddress address) {
    byte[] bytes = address.getAddress();
    int at;
    if (bytes.length == IPV4) {
      return List.of(address);
    } else if (AddressRange.of("64:ff9b::/96").contains(address)
        || AddressRange.of("::/96").contains(address) && !isOwn(address)) {
      at = 12;
    } else if (AddressRange.of("2002::/16").contains(address)) {
      at = 2;
    } else {
      return List.of(address);
    }
    try {
      return List.of(address, InetAddress.getByAddress(Arrays.copyOfRange(bytes, at, at + IPV4)));
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean isOwn(InetAddress address) {
    return address.isLoopbackAddress() || address.isAnyLocalAddress();
  }
}
