# The devices that the emulator has, besides what the machine virt selects
# (GICv3, PL011, PL031, PL061, generic PCI host, fw_cfg, virtio-mmio).
# Read by QEMU's minikconf; everything not named stays out.
CONFIG_ARM_VIRT=y
CONFIG_VIRTIO_PCI=y
CONFIG_VIRTIO_SERIAL=y
CONFIG_VIRTIO_BLK=y
CONFIG_VIRTIO_RNG=y
